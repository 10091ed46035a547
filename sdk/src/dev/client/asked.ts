/**
 * A request that leaves the server, as a function of a test gets it: with all data in it.
 *
 * @example
 * ```ts
 * const answer = ({ body }: AskedRequest): EgressAnswer => ({ status: 201, body: { received: body } })
 * ```
 */
export interface AskedRequest {
  readonly on: 'formula' | 'proxy' | 'delivery'
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed if it is JSON, an object of texts if it is a form, otherwise a text; `undefined` without one. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  readonly body: any
}

/** Keeps a function for the server in this process. Returns the name under which it takes it. */
export type KeepFunction = (respond: (request: AskedRequest) => Promise<unknown>) => string | Promise<string>
