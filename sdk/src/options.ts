import { checkedBaseUrl } from './url.ts'

/**
 * Options of a client.
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
  /** Key of an application or of a session. */
  apiKey: string
  /** URL of the server, such as `http://127.0.0.1:4000`; may have a path. */
  baseUrl: string
  /** Prefix of the server's own headers, as in `SVC-API-KEY`. Default `SVC`. */
  headerPrefix?: string | undefined
  /** Milliseconds until an attempt without a complete response fails. Default 60,000; `Infinity` for no limit. */
  timeout?: number | undefined
  /** Maximum number of retries of a failed request. Default 2. */
  maxRetries?: number | undefined
  /** Replaces the global `fetch`, as for a proxy, a log, or a server in the same process. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
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
  headers?: Headers | Record<string, string> | [string, string][] | undefined
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

/** The checked options of a client, with all defaults. */
export type Settings = { [Name in keyof SurrogateOptions]-?: NonNullable<SurrogateOptions[Name]> }

export function settingsFrom(options: SurrogateOptions): Settings {
  const settings = {
    apiKey: options.apiKey,
    baseUrl: checkedBaseUrl(options.baseUrl),
    headerPrefix: options.headerPrefix ?? 'SVC',
    timeout: options.timeout ?? 60_000,
    maxRetries: options.maxRetries ?? 2,
    // Looked up for each request, since tests may replace the global `fetch` later.
    fetch: options.fetch ?? (request => globalThis.fetch(request)),
  }
  if (!/^[\w-]+$/.test(settings.headerPrefix))
    throw new TypeError('headerPrefix must consist of letters, digits, - and _, such as SVC')
  return checked(settings)
}

/** Throws a `TypeError` for wrong types and empty values; its message does not contain the value. */
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
