import { mustBe, refuseMissing } from './check.ts'
import type { Fetch } from './fetch.ts'
import type { RequestHeaders } from './headers.ts'
import type { ObserveOptions } from './observe.ts'

/**
 * Options of a client.
 *
 * @example
 * ```ts
 * const options: SurrogateOptions = {
 *   apiKey: process.env.SURROGATE_API_KEY,
 *   baseUrl: process.env.SURROGATE_URL,
 *   timeout: 10_000,
 *   maxRetries: 4,
 *   onRetry: ({ operation, reason }) => console.warn(operation, reason),
 * }
 * const surrogate = new Surrogate(options)
 * ```
 */
export interface SurrogateOptions extends ObserveOptions {
  /**
   * Key of an application or of a session. May be undefined for the compiler, so that a variable of the environment
   * fits; then the constructor throws.
   */
  apiKey: string | undefined
  /** URL of the server, such as `http://127.0.0.1:4000`; may have a path. */
  baseUrl: string | undefined
  /** Prefix of the server's own headers, as in `SVC-API-KEY`. Default `SVC`. */
  headerPrefix?: string | undefined
  /** Milliseconds until an attempt without a complete response fails. Default 60,000; `Infinity` for no limit. */
  timeout?: number | undefined
  /** Maximum number of retries of a failed request. Default 2. */
  maxRetries?: number | undefined
  /** Replaces the global `fetch`, as for a proxy, another HTTP client, or a server in the same process. */
  fetch?: Fetch | undefined
  /**
   * True for an error of `fetch` that is thrown as it is, since another attempt would fail the same way. By default
   * `Surrogate` recognizes mistakes in the code of a custom `fetch`; for another class, pass the `isMistake` of this
   * package. Any other error is the cause of a `ConnectionError`.
   */
  isMistake?: ((error: unknown) => boolean) | undefined
  /** Headers of every request. The options of a call can replace them. */
  defaultHeaders?: RequestHeaders | undefined
  /** Query parameters of every request, as for a gateway in front of the server. */
  defaultQuery?: Readonly<Record<string, string | number | boolean>> | undefined
  /**
   * Allows a private or management key in a browser, where everyone who opens the page can read it. For tests that
   * imitate a browser, and pages that only their operators can open.
   */
  dangerouslyAllowBrowser?: boolean | undefined
}

/**
 * Options of a class of its own, such as `Tokens`. For a log, pass them through `withLog`.
 *
 * @example
 * ```ts
 * const options: ResourceOptions = { apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org', timeout: 10_000 }
 * const tokens = new Tokens(options)
 * ```
 */
export type ResourceOptions = Omit<SurrogateOptions, 'logger' | 'logLevel'> & {
  logger?: never
  logLevel?: never
}

/**
 * Options of one call, the last argument of every method.
 *
 * @example
 * ```ts
 * const options: RequestOptions = { signal: AbortSignal.timeout(3_000), maxRetries: 0 }
 * await surrogate.tokens.get('token-id', options)
 * ```
 */
export interface RequestOptions {
  /** Aborts the call, also while it waits for a retry. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Additional headers of the request. */
  headers?: RequestHeaders | undefined
  /**
   * Your own id for this request, 1 to 255 printable ASCII characters. Another request with the same id within 24 hours
   * does nothing and returns the result of the first. By default each call has a random id, for its retries. Operations
   * that change nothing ignore it.
   */
  idempotencyKey?: string | undefined
  /** Key for this request, instead of the client's. */
  apiKey?: string | undefined
  /** Identifies this request in the server's log and in webhooks, 1 to 200 printable ASCII characters. */
  traceId?: string | undefined
  /** Milliseconds, instead of the client's `timeout`. */
  timeout?: number | undefined
  /** Number of retries, instead of the client's `maxRetries`. */
  maxRetries?: number | undefined
}

/** The names of a client's options, and of those of a call. */
export const clientOptions =
  'apiKey baseUrl headerPrefix timeout maxRetries fetch isMistake defaultHeaders defaultQuery dangerouslyAllowBrowser onRequest onResponse onRetry onLost logger logLevel'
export const callOptions = 'signal headers idempotencyKey apiKey traceId timeout maxRetries'

/** Returns the options that a call can replace. Throws a `TypeError` for an invalid one. */
export function checkedOptions(
  {
    apiKey: clientKey,
    timeout: clientTimeout = 60_000,
    maxRetries: clientRetries = 2,
    dangerouslyAllowBrowser,
  }: SurrogateOptions,
  { apiKey = clientKey, timeout = clientTimeout, maxRetries = clientRetries }: RequestOptions,
  isBrowser: boolean,
): readonly [apiKey: string, timeout: number, maxRetries: number] {
  refuseMissing('apiKey', apiKey)
  mustBe('apiKey', /^[!-~]+$/.test(apiKey), 'printable ASCII')
  mustBe(
    'apiKey',
    !isBrowser || dangerouslyAllowBrowser || !/^key_(prv|mgt)_/.test(apiKey),
    'a public or session key in a browser (see dangerouslyAllowBrowser)',
  )
  mustBe('timeout', timeout > 0, 'a positive number of ms')
  mustBe('maxRetries', /^\d+$/.test(`${maxRetries}`), 'an integer from 0 on')
  return [apiKey, timeout, maxRetries]
}
