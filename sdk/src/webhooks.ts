import { mustBe, refuseMissing, refuseUnknown } from './check.ts'
import { nameErrors, SurrogateError } from './errors.ts'
import type { Problem } from './generated/types.gen.ts'
import { randomKey } from './random-key.ts'
import type { ReactorResult } from './typed-formulas.ts'

/**
 * The outcome of an asynchronous invocation: the result of the formula, the problem if it failed, or the status and
 * body that the formula chose itself.
 *
 * @example
 * ```ts
 * declare const payload: WebhookPayload
 *
 * if ('title' in payload) console.error(payload.type, payload.detail)
 * else if ('status' in payload) console.log('the formula responded', payload.status)
 * else console.log(payload.raw)
 * ```
 */
export type WebhookPayload<Raw = unknown> =
  | ReactorResult<Raw>
  | Problem
  | { readonly status: number; readonly body?: unknown }

/**
 * The headers of a request: a `Headers`, or an object such as `request.headers` of Node. Names are compared without
 * regard to case.
 *
 * @example
 * ```ts
 * const headers: WebhookHeaders = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1674087231', 'webhook-signature': 'v1,…' }
 * ```
 */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Options of `webhooks.verify`.
 *
 * @example
 * ```ts
 * const options: VerifyOptions = { tolerance: 60, now: new Date('2030-01-01') }
 * ```
 */
export interface VerifyOptions {
  /** Maximum difference between the time of a delivery and `now`, in seconds. Default 300. */
  readonly tolerance?: number
  /** The current time as a date or epoch milliseconds. Default: the clock of this machine. */
  readonly now?: Date | number
}

/**
 * Options of `webhooks.sign`.
 *
 * @example
 * ```ts
 * const options: SignOptions = { id: 'msg_1', now: new Date('2030-01-01') }
 * const headers = await webhooks.sign('{"raw":1}', 'whsec_…', options)
 * ```
 */
export interface SignOptions {
  /** The `webhook-id`. Default: a random one. */
  readonly id?: string
  /** The time of the delivery as a date or epoch milliseconds. Default: the clock of this machine. */
  readonly now?: Date | number
}

/**
 * The headers of a delivery.
 *
 * @example
 * ```ts
 * const body = JSON.stringify({ raw: { charged: true } })
 * const headers: SignedHeaders = await webhooks.sign(body, 'whsec_…')
 * const request = new Request('https://shop.example.org/done', { method: 'POST', headers: { ...headers }, body })
 * ```
 */
export type SignedHeaders = Readonly<Record<`webhook-${'id' | 'timestamp' | 'signature'}`, string>>

/**
 * The delivery cannot be trusted: a header is missing or malformed, its time differs too much, or no signature was made
 * with the secret.
 *
 * @example
 * ```ts
 * await webhooks.verify('{}', {}, 'whsec_…').catch(error => {
 *   if (error instanceof WebhookVerificationError) console.error(error.message)
 * })
 * ```
 */
export class WebhookVerificationError extends SurrogateError {}

nameErrors({ WebhookVerification: WebhookVerificationError })

/** Returns no bytes if the text is not base64. */
function fromBase64(text = ''): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    typeof headers.get === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const value = [found ?? []].flat().join(' ')
  if (!value) throw new WebhookVerificationError(`the header ${name} is missing`)
  return value
}

function keyOf(secret: string): Promise<CryptoKey> {
  refuseMissing('secret', secret)
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  mustBe('a webhook secret', bytes.length, 'base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** Returns the raw body. Not as a `Blob`, since that of jsdom makes buffers that Web Crypto refuses. */
function bodyOf(payload: string | Uint8Array | ArrayBuffer): Uint8Array {
  mustBe(
    'payload',
    // A buffer may come from another realm, such as that of a test runner.
    typeof payload === 'string' || payload?.byteLength >= 0,
    'the raw body of the request, before a parser has read it, as text or bytes',
  )
  return typeof payload === 'string' ? new TextEncoder().encode(payload) : new Uint8Array(payload)
}

/** Returns the bytes that a signature covers. */
function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

async function verify<Raw = unknown>(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookPayload<Raw>> {
  refuseUnknown(options, 'tolerance now')
  const { tolerance = 300, now = Date.now() } = options
  const secrets = [secret].flat()
  mustBe('secret', secrets.length, 'a secret or a list of secrets')
  mustBe('tolerance', tolerance >= 0, 'a number of seconds, 0 or more')
  const body = bodyOf(payload)
  const keys = await Promise.all(secrets.map(keyOf))
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('the header webhook-timestamp is not a number')
  if (Math.abs(Number(timestamp) - Number(now) / 1000) > tolerance)
    throw new WebhookVerificationError(`the delivery is more than ${tolerance} seconds old or early`)
  const signed = signedBytes(id, timestamp, body)
  for (const signature of signatures) {
    // Web Crypto compares in constant time.
    for (const key of keys) {
      if (await crypto.subtle.verify('HMAC', key, fromBase64(signature.split(/^v1,/)[1]), signed))
        return parse(new TextDecoder().decode(body))
    }
  }
  throw new WebhookVerificationError(
    'no signature matches this secret and body; is it the secret of this tenant, and the raw body, before a parser has read it?',
  )
}

async function sign(
  payload: string | Uint8Array | ArrayBuffer,
  secret: string,
  options: SignOptions = {},
): Promise<SignedHeaders> {
  refuseUnknown(options, 'id now')
  const { id = `msg_${randomKey()}`, now = Date.now() } = options
  const timestamp = `${Math.floor(Number(now) / 1000)}`
  const signed = signedBytes(id, timestamp, bodyOf(payload))
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), signed))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}

function parse(body: string): never {
  try {
    return JSON.parse(body) as never
  } catch {
    throw new WebhookVerificationError('the body is not JSON')
  }
}

/**
 * Functions for receivers of webhooks.
 *
 * `verify` checks by the Standard Webhooks scheme that a delivery was signed with
 * the secret, is unmodified, and is recent. It resolves with the parsed body.
 *
 * `payload` is the raw body of the request. `secret` may be a list of secrets, for their rotation. A delivery may arrive
 * more than once: its `webhook-id` is the same each time, so store those that you have handled.
 *
 * Rejects with a `WebhookVerificationError` if the delivery cannot be trusted, with a `TypeError` if a secret is not
 * valid or the body has been parsed.
 *
 * `sign` is for your tests: it resolves with the headers of a delivery of this body.
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
export const webhooks = { verify, sign }
