import { bodiless } from '../base/bodiless-statuses.ts'
import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { isReserved } from '../egress/reserved-headers.ts'
import type { Outcome } from './sandbox.ts'

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
