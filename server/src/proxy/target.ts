import { invalid, type ServiceError } from '../base/errors.ts'

/** Parts of a URL of which some name tokens. */
export interface Target {
  readonly origin: string
  /** Segments of the path. */
  readonly path: readonly Part[]
  /** Names and values of the query, in turns. */
  readonly query: readonly Part[]
}

/** A part of a URL or of a form. */
export interface Part {
  /** As it was sent, with the separator before it. */
  readonly raw: string
  readonly separator: string
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
      path: splitAt(pathname, /(\/)/, text => text, 'path'),
      query: readPairs(search, 'query'),
    },
  }
}

/** Reads a query or a form. @throws {ServiceError} validation */
export function readPairs(text: string, where: string): readonly Part[] {
  return splitAt(text, /([&=])/, part => part.replaceAll('+', ' '), where)
}

function splitAt(text: string, separator: RegExp, plain: (part: string) => string, where: string): Part[] {
  const [first = '', ...others] = text.split(separator)
  const parts = [{ separator: '', raw: first }]
  for (let at = 0; at < others.length; at += 2)
    parts.push({ separator: others[at] ?? '', raw: others[at + 1] ?? '' })
  return parts.map(part => {
    const decoded = decode(plain(part.raw), where)
    return decoded.includes('{{') ? { ...part, text: decoded } : part
  })
}

function decode(text: string, where: string): string {
  // Most parts are as they were before encoding.
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    if (!/\{\{|%7b/i.test(text)) return ''
    throw invalid(where, 'is not UTF-8 in percent-encoding')
  }
}

/**
 * Joins parts, and encodes the texts that replace some of them, so that data stays within its part.
 * @param texts by position; absent for parts that are sent on as they came
 */
export function joinParts(parts: readonly Part[], texts: readonly (string | undefined)[]): string {
  return parts
    .map(({ separator, raw }, at) => {
      const text = texts[at]
      return separator + (text === undefined ? raw : encodeURIComponent(text))
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
