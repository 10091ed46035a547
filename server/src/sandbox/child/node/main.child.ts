/**
 * Modules of Node that need nothing but the globals of formulas. Unlike the classes of `inside/` they are evaluated anew
 * for each invocation that requires one: code extends and changes them, and nothing of that is left for the next one.
 * Events and streams are those of the packages that other bundlers take, made of the code of Node.
 */
import { util } from './util.child.ts'

const unescapeText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
const escapeText = (text: unknown): string => encodeURIComponent(`${text}`)

type Values = Record<string, string | string[]>

function parse(query: unknown, separator = '&', equals = '='): Values {
  const values = Object.create(null) as Values
  if (typeof query !== 'string' || query === '') return values
  for (const pair of query.split(separator)) {
    const at = pair.indexOf(equals)
    const [rawName, rawValue] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + equals.length)]
    if (pair === '') continue
    const name = unescapeText(rawName.replaceAll('+', ' '))
    const value = unescapeText(rawValue.replaceAll('+', ' '))
    const before = values[name]
    values[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return values
}

const primitive = (value: unknown) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? escapeText(value) : ''

function stringify(values: object | null | undefined, separator = '&', equals = '='): string {
  return Object.entries(values ?? {})
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map(one => escapeText(name) + equals + primitive(one)),
    )
    .join(separator)
}

/** The module `querystring`. */
const querystring = {
  parse,
  stringify,
  escape: escapeText,
  unescape: unescapeText,
  decode: parse,
  encode: stringify,
}

class FetchError extends Error {
  override readonly name = 'FetchError'
}

class AbortError extends Error {
  override readonly name = 'AbortError'
}

/** The package `node-fetch`, whose requests are those of the sandbox, as in its build for browsers. */
const nodeFetch = (...request: Parameters<typeof fetch>): Promise<Response> => fetch(...request)

const fetchModule = Object.assign(nodeFetch, {
  __esModule: true,
  default: nodeFetch,
  fetch: nodeFetch,
  Headers,
  Request,
  Response,
  FetchError,
  AbortError,
  isRedirect: (status: number) => [301, 302, 303, 307, 308].includes(status),
})

/** Of the bundler: evaluates a package when it is first asked for, as most formulas need only one. */
declare const require: (name: string) => never

export const modules: Readonly<Record<string, unknown>> = {
  'node-fetch': fetchModule,
  querystring,
  util,
  'util/types': util.types,
  get events() {
    return require('events/events.js')
  },
  get stream() {
    return require('readable-stream/lib/stream.js')
  },
  get 'stream/promises'() {
    return require('readable-stream/lib/stream/promises.js')
  },
  get string_decoder() {
    return require('string_decoder/lib/string_decoder.js')
  },
}
