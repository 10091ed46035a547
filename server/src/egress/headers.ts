import { isReserved } from './reserved-headers.ts'

/** Headers of connections and proxies, and those of length and encoding: formulas may not set them. */
const managed = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-real-ip',
])

/**
 * Headers that are also sent to another origin to which a response redirects. Any other one may be a credential, such
 * as `x-api-key`, or have a meaning for the first origin only.
 */
const ofAnyOrigin = new Set(['accept', 'accept-language', 'user-agent'])

/** Headers that describe a body. */
const ofBody = /^content-/

export type HeaderFields = Readonly<Record<string, string>>

function keeping(headers: HeaderFields, keeps: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => keeps(name)),
  )
}

/** Returns the headers that a formula may set. */
export function sendableHeaders(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => !managed.has(name) && !/^(proxy|x-forwarded)-/.test(name))
}

/** Returns the headers for a redirect to another origin. */
export function forOtherOrigin(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => ofAnyOrigin.has(name) || ofBody.test(name))
}

/** Returns the headers for a redirect without the body. */
export function withoutBody(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => !ofBody.test(name))
}

/** Returns the headers of a response with one text each, without those of its encoding and connection. */
export function readableHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return keeping(Object.fromEntries(joined), name => !managed.has(name) && name !== 'content-encoding')
}

/** Returns the headers of a response that are passed on, without those that its `Connection` names. */
export function passedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  headerPrefix: string,
): Record<string, string> {
  const { 'content-encoding': encoding, connection } = headers
  const named = new Set(`${connection ?? ''}`.toLowerCase().split(/[\s,]+/))
  const kept = keeping(readableHeaders(headers), name => !isReserved(name, headerPrefix) && !named.has(name))
  return typeof encoding === 'string' ? { ...kept, 'content-encoding': encoding } : kept
}
