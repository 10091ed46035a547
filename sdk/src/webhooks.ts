import { nameErrors, SurrogateError } from './errors.ts'
import type { Problem } from './generated/types.gen.ts'
import type { ReactorResult } from './typed-data.ts'

/**
 * What a webhook tells of an asynchronous invocation: what the formula gave, the problem where it failed, or the
 * status and body that it chose itself.
 *
 * @example
 * ```ts
 * declare const payload: WebhookPayload
 *
 * if ('title' in payload) console.error(payload.type, payload.detail)
 * else if ('status' in payload) console.log('the formula answered', payload.status)
 * else console.log(payload.raw)
 * ```
 */
export type WebhookPayload<Raw = unknown> =
  | ReactorResult<Raw>
  | Problem
  | { readonly status: number; readonly body?: unknown }

/**
 * The headers of a request: a `Headers`, or an object such as `request.headers` of Node. The case of names does not
 * matter.
 *
 * @example
 * ```ts
 * const headers: WebhookHeaders = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1674087231', 'webhook-signature': 'v1,…' }
 * ```
 */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * How `webhooks.verify` compares times.
 *
 * @example
 * ```ts
 * const options: VerifyOptions = { tolerance: 60, now: new Date('2030-01-01') }
 * ```
 */
export interface VerifyOptions {
  /** How far the time of a delivery may be from `now`, in seconds; 300 unless given. */
  readonly tolerance?: number
  /** A date, or epoch milliseconds; the time of this machine unless given. */
  readonly now?: Date | number
}

/**
 * A delivery that is not to be trusted: a header is missing or unreadable, its time is too far off, or nobody who
 * knows the secret has signed it.
 *
 * @example
 * ```ts
 * await webhooks.verify('{}', {}, 'whsec_…').catch(error => {
 *   if (error instanceof WebhookVerificationError) console.error(error.message)
 * })
 * ```
 */
export class WebhookVerificationError extends SurrogateError {}

nameErrors({ WebhookVerificationError })

const prefix = 'whsec_'
const scheme = 'v1,'

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const value = Array.isArray(found) ? found.join(' ') : found
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing`)
  return value as string
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret)
  if (!bytes?.length) throw new TypeError(`a webhook secret is ${prefix} and base64`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

async function verify<Raw = unknown>(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookPayload<Raw>> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0) throw new TypeError('verifying takes a webhook secret')
  if (!(tolerance >= 0)) throw new TypeError('tolerance must be a number of seconds')
  const keys = await Promise.all(secrets.map(keyOf))
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('The header webhook-timestamp is not a time in seconds')
  }
  if (Math.abs(Number(timestamp) - Number(now) / 1000) > tolerance) {
    throw new WebhookVerificationError(
      `The delivery is more than ${tolerance} seconds old, or from the future`,
    )
  }
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : new Uint8Array(payload)
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  for (const signature of signatures) {
    const bytes = signature.startsWith(scheme) && fromBase64(signature.slice(scheme.length))
    if (!bytes) continue
    // Web Crypto compares in constant time.
    for (const key of keys) {
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return parse(body)
    }
  }
  throw new WebhookVerificationError(
    'No signature is right: is it the secret of this tenant, and the body as it was sent?',
  )
}

function parse(body: Uint8Array): never {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as never
  } catch {
    throw new WebhookVerificationError('The body is not JSON')
  }
}

/**
 * For the receivers of webhooks. `verify` checks that a delivery comes from who knows the secret, unaltered and at
 * this time, by the Standard Webhooks scheme, and resolves with what it tells.
 *
 * `payload` is the body as it came, before anyone has parsed it. `secret` may be several, while you change it.
 * A delivery may come more than once: its `webhook-id` is the same each time, so remember which you have handled.
 *
 * Rejects with a `WebhookVerificationError` if the delivery is not to be trusted, with a `TypeError` if a secret is
 * none.
 *
 * @example
 * ```ts
 * async function receive(request: Request): Promise<Response> {
 *   const payload = await webhooks.verify(await request.text(), request.headers, 'whsec_…')
 *   if ('title' in payload) console.error('the invocation failed', payload.detail)
 *   else console.log(request.headers.get('webhook-id'), payload)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export const webhooks = { verify }
