import type { Capability } from '../capabilities.ts'
import type { Fetch, HttpRequest, Transport } from './transport.ts'

/** The server under test, the keys for it, and its capabilities. */
export interface Target {
  readonly baseUrl: string
  /** Key of a private application that has all permissions on tokens and sees them whole. */
  readonly privateKey: string
  readonly publicKey?: string | undefined
  readonly managementKey?: string | undefined
  /** Keys of private applications that read every token masked, without data, and that hold `token:use` only. */
  readonly maskedKey?: string | undefined
  readonly redactedKey?: string | undefined
  readonly limitedKey?: string | undefined
  /** Keys of the same types in another tenant. */
  readonly otherPrivateKey?: string | undefined
  readonly otherManagementKey?: string | undefined
  /** Prefix of the header names. */
  readonly headerPrefix: string
  /** URL that moves the server's time forward on `POST {"advance_ms": n}`. */
  readonly clockUrl?: string | undefined
  /** Name or address of this machine for the target. */
  readonly callbackHost?: string | undefined
  /** Secret that the target signs webhooks with: `whsec_…`. */
  readonly webhookSecret?: string | undefined
  /** Capabilities declared by the user. */
  readonly capabilities: readonly Capability[]
  /** Time limit of one response, in milliseconds. */
  readonly timeoutMs: number
  /** Time limit for asynchronous results, such as a webhook, in milliseconds. */
  readonly patienceMs: number
  /** Longest time that a write needs to show in searches, in milliseconds. Default 5000. */
  readonly searchLagMs?: number | undefined
  /** Sends all requests. Default: HTTP. */
  readonly fetch?: Fetch | undefined
}

/** A target, and the guarded way to it. */
export interface Subject extends Target {
  readonly send: Transport
}

/** Returns a request to a target with the key of a caller, or without one. Later headers replace earlier ones. */
export function requestTo(
  { baseUrl, headerPrefix }: Target,
  key: string | undefined,
  method: string,
  path: string,
  body?: HttpRequest['body'],
  headers?: Readonly<Record<string, string>>,
): HttpRequest {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const all = {
    ...(key === undefined ? {} : { [`${headerPrefix}-API-KEY`]: key }),
    ...(body === undefined ? {} : { 'content-type': type }),
    ...headers,
  }
  return {
    method,
    url: `${baseUrl.replace(/\/$/, '')}${path}`,
    headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
    body,
  }
}

/** One request and its response, as the report shows them. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | undefined
  readonly status: number | undefined
  readonly headers: Headers
  readonly text: string
  readonly operation: string | undefined
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, or undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a case reads the members that it expects
  readonly body: any
  /** The exchange that it is part of. */
  readonly exchange?: Exchange
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** A body that is sent unchanged instead of JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  /** Sends plain HTTP even in a run through the client, for requests that no client would send. */
  readonly plain?: boolean
}

/** Sends one request with the key of one caller. */
export type Call = (method: string, path: string, body?: unknown, options?: SendOptions) => Promise<Reply>

/** Sends a request through a client. Returns undefined if the client cannot express it. */
export type Carrier = (
  key: string | undefined,
  method: string,
  path: string,
  body: unknown,
  options: SendOptions,
  send: Transport,
) => Promise<void> | undefined
