import { checkedBaseUrl } from './url.ts'

/**
 * What a client is made with.
 *
 * @example
 * ```ts
 * const options: SurrogateOptions = {
 *   apiKey: 'key_prv_…',
 *   baseUrl: 'https://vault.example.org',
 *   timeout: 10_000,
 *   maxRetries: 4,
 * }
 * const surrogate = new Surrogate(options)
 * ```
 */
export interface SurrogateOptions {
  /** Key of an application, or of a session. */
  apiKey: string
  /** Where the server is, such as `http://127.0.0.1:4000`; may have a path. */
  baseUrl: string
  /** What the server's own header names begin with, as in `SVC-API-KEY`. Default `SVC`. */
  headerPrefix?: string | undefined
  /** How long one attempt may take, to the end of the answer, in milliseconds. Default 60,000; `Infinity` for no end. */
  timeout?: number | undefined
  /** How often a failed request is tried again, at most. Default 2. */
  maxRetries?: number | undefined
  /** Sends the requests instead of the global `fetch`: a proxy, a log, a server in the same process. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
}

/**
 * What one call may do differently. The last argument of every method.
 *
 * @example
 * ```ts
 * const options: RequestOptions = { signal: AbortSignal.timeout(3_000), maxRetries: 0 }
 * await surrogate.tokens.get('token-id', options)
 * ```
 */
export interface RequestOptions {
  /** Ends the call, with its waits between attempts; the call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Further headers of the request. */
  headers?: Headers | Record<string, string> | [string, string][] | undefined
  /**
   * Your own name for this request, 1 to 255 printable ASCII characters, if it has to outlive this process: the same
   * name within 24 hours answers the earlier success again. By default each call makes its own, for its retries.
   * Operations that change nothing ignore it.
   */
  idempotencyKey?: string | undefined
  /** Another key for this one request. */
  apiKey?: string | undefined
  /** Names this exchange in the server's log and in webhooks, 1 to 200 printable ASCII characters. */
  traceId?: string | undefined
  /** Instead of the client's, in milliseconds. */
  timeout?: number | undefined
  /** Instead of the client's. */
  maxRetries?: number | undefined
}

/** The options of a client, checked and with every default in its place. */
export type Settings = { [Name in keyof SurrogateOptions]-?: NonNullable<SurrogateOptions[Name]> }

export function settingsFrom(options: SurrogateOptions): Settings {
  const settings = {
    apiKey: options.apiKey,
    baseUrl: checkedBaseUrl(options.baseUrl),
    headerPrefix: options.headerPrefix ?? 'SVC',
    timeout: options.timeout ?? 60_000,
    maxRetries: options.maxRetries ?? 2,
    // Looked up at each request, so that a fetch which is replaced later, as in tests, is seen.
    fetch: options.fetch ?? (request => globalThis.fetch(request)),
  }
  if (!/^[\w-]+$/.test(settings.headerPrefix))
    throw new TypeError('headerPrefix must be the start of a header name')
  return checked(settings)
}

/** Refuses what a wrong type or an empty environment variable leads to, without repeating the value. */
export function checked<T extends Pick<Settings, 'apiKey' | 'timeout' | 'maxRetries'>>(settings: T): T {
  const { apiKey, timeout, maxRetries } = settings
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a non-empty string of printable ASCII characters')
  }
  if (!(timeout > 0)) throw new TypeError('timeout must be a positive number of milliseconds')
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be 0 or a positive integer')
  return settings
}
