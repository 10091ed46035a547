/** They belong to a connection or to who forwards, and the content's length and coding are ours to say. */
const ours = new Set([
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

/** Told to nobody but the origin that they were meant for. */
const secret = new Set(['authorization', 'cookie'])

/** They describe a body. */
const ofBody = /^content-/

export type HeaderFields = Readonly<Record<string, string>>

function keeping(headers: HeaderFields, keeps: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => keeps(name)),
  )
}

/** The headers that a formula may choose. */
export function sendableHeaders(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => !ours.has(name) && !/^(proxy|x-forwarded)-/.test(name))
}

/** What of them may go on to another origin. */
export function withoutSecrets(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => !secret.has(name))
}

/** What of them still holds for a request that lost its body. */
export function withoutBody(headers: HeaderFields): Record<string, string> {
  return keeping(headers, name => !ofBody.test(name))
}

/** A response's headers as one text each, without those that told of its coding on the wire. */
export function readableHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const told = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return keeping(Object.fromEntries(told), name => !ours.has(name) && name !== 'content-encoding')
}
