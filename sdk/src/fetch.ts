/**
 * What the client needs of a `fetch`: those of browsers, Node, undici and node-fetch fit. It gets the URL as a string
 * and `init` as a plain object. It must not follow redirects, since they would send the key to another address.
 *
 * @example
 * ```ts
 * const viaProxy: Fetch = (url, init) => fetch(url.replace('https://vault.example.org', 'http://127.0.0.1:8080'), init)
 * ```
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/**
 * The second argument of a `fetch`: method, headers, body and signal of a request.
 *
 * @example
 * ```ts
 * const logged: Fetch = (url, init: FetchInit) => (console.log(init.method, url), fetch(url, init))
 * ```
 */
export interface FetchInit {
  method: string
  /** Has lower-case names. */
  headers: Record<string, string>
  body?: string
  redirect: 'manual'
  signal: AbortSignal
}

/**
 * The members of a response that the client uses.
 *
 * @example
 * ```ts
 * const stub: FetchResponse = { status: 204, headers: new Headers(), text: async () => '' }
 * ```
 */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Resolves with the body. */
  text(): Promise<string>
}

/**
 * True if a `fetch` threw because of a mistake in its code, rather than because the server cannot be reached: another
 * attempt would fail the same way. Networks fail with a `TypeError` too, so those are told apart by their messages. A
 * vault in the same process that was closed is such a mistake.
 *
 * @example
 * ```ts
 * const viaProxy: Fetch = (url, init) => fetch(url.replace('https://vault.example.org', 'http://127.0.0.1:8080'), init)
 * const tokens = new Tokens({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org', fetch: viaProxy, isMistake })
 * ```
 */
export function isMistake(error: unknown): boolean {
  const { name, message, code, cause } = (error ?? {}) as Error & { code?: unknown }
  return name === 'TypeError'
    ? cause === undefined &&
        /^ERR_INVALID_|\bis (not (a|an|iterable)\b|undefined$|null$)|\bCannot |can't access|^\w+ Assignment to/.test(
          `${code} ${message}`,
        )
    : /^((Reference|Syntax|Range|Assertion)Error|VaultClosed)$/.test(name)
}
