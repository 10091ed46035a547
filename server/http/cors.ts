import type { CoreRequest, CoreResponse } from './message.ts'

/** The origins a browser may call from: those listed, any with `*`, none when the list is empty. */
export class Cors {
  readonly #origins: ReadonlySet<string>
  readonly #prefix: string

  constructor(origins: readonly string[], headerPrefix: string) {
    this.#origins = new Set(origins)
    this.#prefix = headerPrefix
  }

  /** The headers that let the page of an allowed origin read a response. */
  headersFor(request: CoreRequest): Record<string, string> {
    const { origin } = request.headers
    if (this.#origins.size === 0 || origin === undefined || !this.#allows(origin)) return {}
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': `${this.#prefix}-TRACE-ID, Retry-After`,
      Vary: 'Origin',
    }
  }

  /** The answer to a browser that asks before it sends; `undefined` for any other request. */
  preflight(request: CoreRequest): CoreResponse | undefined {
    const asked = request.headers['access-control-request-method']
    if (request.method !== 'OPTIONS' || asked === undefined || request.headers.origin === undefined) {
      return undefined
    }
    const allowed = this.headersFor(request)
    if (Object.keys(allowed).length === 0) return { status: 204, headers: {} }
    const prefix = this.#prefix
    return {
      status: 204,
      headers: {
        ...allowed,
        'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': `Content-Type, ${prefix}-API-KEY, ${prefix}-IDEMPOTENCY-KEY, ${prefix}-TRACE-ID`,
        'Access-Control-Max-Age': '600',
      },
    }
  }

  #allows(origin: string): boolean {
    return this.#origins.has('*') || this.#origins.has(origin)
  }
}
