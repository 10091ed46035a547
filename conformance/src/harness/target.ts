import type { Capability } from '../capabilities.ts'

/** Sends a request. Node's own `fetch`, or a server in the same process. */
export type Fetch = (request: Request) => Promise<Response>

/** The server under test, who the suite is to it, and what else it has. */
export interface Target {
  readonly baseUrl: string
  /** The key of a private application that may do everything with tokens and sees them whole. */
  readonly privateKey: string
  readonly publicKey?: string | undefined
  readonly managementKey?: string | undefined
  /** Keys of the same kinds in a tenant of their own. */
  readonly otherPrivateKey?: string | undefined
  readonly otherManagementKey?: string | undefined
  /** The short name in the header names. */
  readonly headerPrefix: string
  /** Takes `POST {"advance_ms": n}` and moves the server's time forward. */
  readonly clockUrl?: string | undefined
  /** The host under which the target reaches a listener of ours. */
  readonly callbackHost?: string | undefined
  /** `whsec_…`, which the target signs webhooks with. */
  readonly webhookSecret?: string | undefined
  /** What else the target has, by its own word. */
  readonly capabilities: readonly Capability[]
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs: number
  /** How long to wait for what happens in its own time, such as a webhook, in milliseconds. */
  readonly patienceMs: number
  readonly fetch: Fetch
}

/** One request and what came back, as the report shows it. */
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
  /** The body, parsed where it is JSON, else undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: a case reads whatever members it expects, and none may be there
  readonly body: any
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, in the place of JSON. */
  readonly raw?: string
  /** Plain HTTP even in a pass through a client: for what no client would send. */
  readonly plain?: boolean
}

/** Sends one request as one caller. */
export type Call = (method: string, path: string, body?: unknown, options?: SendOptions) => Promise<Reply>

/** A way to send: plain HTTP, or through a client. `undefined` from a client means that it cannot say this. */
export type Carrier = (
  key: string | undefined,
  method: string,
  path: string,
  body: unknown,
  options: SendOptions,
  fetch: Fetch,
) => Promise<void> | undefined
