import { bodiless } from '../../base/bodiless-statuses.ts'
import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { findExcess } from '../../base/json/json-loss.ts'
import { isReserved } from '../../egress/reserved-headers.ts'
import type { Outcome } from '../sandbox.ts'
import { type FormulaErrorName, formulaErrors, type Thrown, thrownLimits } from './messages.ts'

const reasons = ['threw', 'memory', 'output', 'shape'] as const
/** A formula may return 64 levels, and 100,000 members each in `raw` and `tokenize`; the report adds a level. */
const bounds = { depth: 65, count: 200_100 }
const longestDetail = 500
const most = 100

/** A report that the runner program never sends. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/**
 * Converts the report of a runner to an outcome. The formula may have taken over the runner, so everything in the
 * report is checked.
 *
 * @param headerPrefix in lower case
 * @param explains true if the formula's own words are wanted; otherwise they are dropped
 * @throws {ReportError}
 */
export function readReport(bytes: Uint8Array, headerPrefix: string, explains = false): Outcome {
  const report = parse(bytes)
  if (!isJsonObject(report)) throw new ReportError('the report is not an object')
  const thrown = explains ? thrownOf(report) : {}
  switch (report.kind) {
    case 'answered':
      return {
        kind: 'answered',
        ...(report.raw === undefined ? {} : { raw: report.raw }),
        // As for all optional members, null means absent.
        ...(report.tokenize === undefined || report.tokenize === null ? {} : { tokenize: report.tokenize }),
      }
    case 'custom':
      return readCustomResponse(report.response, headerPrefix)
    case 'refused':
      return { ...refused(report), ...thrown }
    case 'unusable':
      return { kind: 'unusable', detail: detailOf(report), ...thrown }
    case 'failed': {
      const reason = reasons.find(one => one === report.reason)
      if (!reason) throw new ReportError('the reason is unknown')
      return { kind: 'failed', reason, detail: detailOf(report), ...thrown }
    }
    default:
      throw new ReportError('the kind is unknown')
  }
}

function refused({ error, errors }: Record<string, JsonValue>): Extract<Outcome, { kind: 'refused' }> {
  const name = Object.keys(formulaErrors).find((one): one is FormulaErrorName => one === error)
  if (!name || !isJsonObject(errors)) throw new ReportError('the error is not valid')
  const paths = Object.entries(errors).slice(0, most)
  const read = paths.map(([path, messages]) => {
    if (!Array.isArray(messages)) throw new ReportError('the messages are not a list')
    return [path.slice(0, 200), messages.slice(0, most).map(message => `${message}`.slice(0, 1_000))] as const
  })
  return { kind: 'refused', error: name, errors: Object.fromEntries(read) }
}

/** Only texts are passed on, each with a bound. */
function thrownOf({ thrown }: Record<string, JsonValue>): { readonly thrown?: Thrown } {
  if (!isJsonObject(thrown)) return {}
  const { message, stack } = thrown
  const cut = (text: JsonValue | undefined, most: number) =>
    typeof text === 'string' ? text.slice(0, most).toWellFormed() : ''
  const lines = Array.isArray(stack) ? stack.slice(0, thrownLimits.lines) : []
  return {
    thrown: {
      message: cut(message, thrownLimits.message),
      stack: lines.map(line => cut(line, thrownLimits.line)),
    },
  }
}

function detailOf({ detail }: Record<string, JsonValue>): string {
  return typeof detail === 'string' ? detail.slice(0, longestDetail) : 'the formula failed'
}

function parse(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // Many levels or members make the parser slow; this check in advance is cheap.
  if (findExcess(text, bounds)) throw new ReportError('nested too deeply, or too many members')
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    throw new ReportError('not JSON')
  }
  // The runner program refuses this name, since assigning such a member would set a prototype.
  if (/__proto__|\\u/i.test(text) && holdsProto(value)) throw new ReportError('a member is named __proto__')
  return value
}

function holdsProto(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto)
}

const mostHeaders = 50
/** Of names and values together: fits into the buffer of 8 kB that many proxies have. */
const mostHeaderCharacters = 6_000

const headerName = /^(content-type|x-[a-z0-9-]{1,100})$/
const headerValue = /^[\t\x20-\x7e]*$/
/** The body is always JSON: as `text/html` it could be a page of the server's origin. */
const jsonType = /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * Checks the argument of `CustomHttpResponseError`. Returns a `custom` outcome, or a failure that says what is wrong.
 *
 * @param headerPrefix in lower case
 */
// Requirements: INV-508, INV-522
export function readCustomResponse(response: JsonValue | undefined, headerPrefix: string): Outcome {
  const refuse = (what: string): Outcome => ({
    kind: 'failed',
    reason: 'shape',
    detail: `CustomHttpResponseError ${what}`,
  })
  if (!isJsonObject(response)) return refuse('takes an object with status, headers and body')
  const { status, headers: given, body } = response
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    return refuse('needs a status from 200 to 599')
  }
  const headers = readHeaders(given ?? {}, headerPrefix)
  if (typeof headers === 'string') return refuse(headers)
  if (bodiless.has(status) && body !== undefined && body !== null) {
    return refuse(`has a body, which status ${status} does not allow`)
  }
  return { kind: 'custom', status, headers, ...(body === undefined ? {} : { body }) }
}

/** Returns the headers with names in lower case, or an error text. */
function readHeaders(given: JsonValue, headerPrefix: string): Record<string, string> | string {
  if (!isJsonObject(given)) return 'takes headers as an object'
  const pairs = Object.entries(given)
  if (pairs.length > mostHeaders) return `takes at most ${mostHeaders} headers`
  const read: Record<string, string> = {}
  let characters = 0
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    if (!headerName.test(key)) {
      return 'may only set content-type and headers whose names begin with x- and consist of letters, digits and hyphens'
    }
    if (isReserved(key, headerPrefix)) {
      return `may not set ${key}: proxies, browsers or clients of this service act upon it`
    }
    if (typeof value !== 'string' || !headerValue.test(value)) {
      return 'takes header values of printable ASCII characters'
    }
    if (key === 'content-type' && !jsonType.test(value)) {
      return 'takes application/json or application/…+json in UTF-8 as content-type, because the body is JSON'
    }
    if (Object.hasOwn(read, key)) return 'has a header twice'
    read[key] = value
    characters += key.length + value.length
  }
  if (characters > mostHeaderCharacters) {
    return `takes headers of at most ${mostHeaderCharacters} characters in total`
  }
  return read
}
