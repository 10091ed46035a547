import { invalid, type ServiceError } from '../base/errors.ts'
import type { Pass } from '../base/flow/turns.ts'
import { limits } from '../generated/facts.ts'

/** Parts of a URL of which some name tokens. */
export interface Target {
  readonly origin: string
  /** Of segments of the path. */
  readonly path: readonly Part[]
  /** Of names and values of the query. */
  readonly query: readonly Part[]
}

/** A part of a URL or of a form: one that names a token, or all that stands between two of them. */
export interface Part {
  /** As it was sent. */
  readonly raw: string
  /** Decoded, if it names a token. */
  readonly text?: string
}

const longestUrl = 16 * 1024

/** Returns a refusal of the target. The sentence quotes nothing of it. */
function wrongTarget(sentence: string): ServiceError {
  return invalid('proxy_url', sentence)
}

/**
 * Reads the target of a proxied request.
 * @param rest the path below `/proxy`, as it was sent
 * @param query as it was sent
 * @throws {ServiceError} validation
 */
export function readTarget(
  url: string | undefined,
  rest: string,
  query: string,
): { url: URL; target: Target } {
  if (url === undefined || url === '') throw wrongTarget('is missing; it names the target by its URL')
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw wrongTarget('is not a URL such as https://api.example.com/charges')
  const base = new URL(url)
  const pathname = rest === '' ? base.pathname : base.pathname.replace(/\/$/, '') + rest
  const search = [base.search.slice(1), query].filter(part => part !== '').join('&')
  return {
    url: base,
    target: {
      origin: base.origin,
      path: [...partsOf(pathname, 'path')],
      query: [...partsOf(search, 'query')],
    },
  }
}

/** Between the parts of a path, and between names and values. */
const separators = { path: '/', query: '&=', body: '&=' }

/** Reads a form, and lets others go first on the way. @throws {ServiceError} validation */
export async function readForm(text: string, pass: Pass): Promise<readonly Part[]> {
  const parts: Part[] = []
  for (const part of partsOf(text, 'body')) {
    parts.push(part)
    if (parts.length % partsPerTurn === 0) await pass()
    if (parts.length > limits.jsonMembers)
      throw invalid('body', `must not have braces in more than ${limits.jsonMembers} names and values`)
  }
  return parts
}

const partsPerTurn = 1_000

/** Finds the parts with braces, so that the rest costs nothing, however many parts it has. */
function* partsOf(text: string, where: keyof typeof separators): Generator<Part> {
  const isEnd = (at: number) => separators[where].includes(text.charAt(at))
  const brace = /\{\{|%7b/gi
  let done = 0
  for (let found = brace.exec(text); found; found = brace.exec(text)) {
    let start = found.index
    while (start > done && !isEnd(start - 1)) start--
    let end = brace.lastIndex
    while (end < text.length && !isEnd(end)) end++
    brace.lastIndex = end
    const raw = text.slice(start, end)
    const decoded = decode(where === 'path' ? raw : raw.replaceAll('+', ' '), where)
    if (start > done) yield { raw: text.slice(done, start) }
    yield decoded.includes('{{') ? { raw, text: decoded } : { raw }
    done = end
  }
  if (done < text.length) yield { raw: text.slice(done) }
}

function decode(text: string, where: string): string {
  // Most parts are as they were before encoding.
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(where, 'is not UTF-8 in percent-encoding')
  }
}

/**
 * Joins parts, and encodes the texts that replace some of them, so that data stays within its part.
 * @param texts by position; absent for parts that are sent on as they came
 */
export function joinParts(parts: readonly Part[], texts: readonly (string | undefined)[]): string {
  return parts
    .map(({ raw }, at) => {
      const text = texts[at]
      return text === undefined ? raw : encodeURIComponent(text)
    })
    .join('')
}

/**
 * Returns the URL of a target with texts in the place of expressions.
 * @throws {ServiceError} validation
 */
export function toUrl(
  { origin, path, query }: Target,
  texts: { readonly path: readonly (string | undefined)[]; readonly query: readonly (string | undefined)[] },
): URL {
  // A URL has no way to spell them: they would remove other segments.
  if (texts.path.some(text => text === '.' || text === '..' || text === ''))
    throw invalid('path', 'would have a segment that is empty or made of dots')
  const search = joinParts(query, texts.query)
  const url = `${origin}${joinParts(path, texts.path)}${search === '' ? '' : `?${search}`}`
  if (url.length > longestUrl) throw invalid('proxy_url', `comes to more than ${longestUrl} characters`)
  return new URL(url)
}
