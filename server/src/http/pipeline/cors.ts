import { OriginSet } from '../../base/origins.ts'
import type { Dialect } from '../../contract/dialect.ts'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'

/** Cross-origin requests of browsers: allowed from the listed origins and subdomains, or from any with `*`. */
export class Cors {
  readonly #origins: OriginSet
  readonly #allowsAny: boolean
  /** The headers that pages may set, and that they may read. */
  readonly #allowed: string
  readonly #exposed: string

  constructor(origins: readonly string[], headerPrefix: string, dialect?: Dialect) {
    this.#origins = new OriginSet(origins)
    this.#allowsAny = origins.includes('*')
    const own = [
      ...['API-KEY', 'IDEMPOTENCY-KEY', 'TRACE-ID'],
      ...(dialect?.camelCaseMembers ? ['MEMBERS'] : []),
    ]
    this.#allowed = ['Content-Type', ...own.map(name => `${headerPrefix}-${name}`)].join(', ')
    const added = Object.keys(dialect?.responseHeaders ?? {})
    this.#exposed = [`${headerPrefix}-TRACE-ID`, `${headerPrefix}-WARNING`, 'Retry-After', ...added].join(
      ', ',
    )
  }

  /** Adds the headers that let the page of an allowed origin read a response. */
  allow(request: CoreRequest, headers: Record<string, string>): void {
    if (this.#origins.size === 0) return
    headers.Vary = headers.Vary === undefined ? 'Origin' : `${headers.Vary}, Origin`
    const { origin } = request.headers
    if (origin === undefined || !this.#allows(origin)) return
    headers['Access-Control-Allow-Origin'] = origin
    headers['Access-Control-Expose-Headers'] = this.#exposed
  }

  /** Responds to the preflight request of a browser; returns `undefined` for any other request. */
  preflight(request: CoreRequest): CoreResponse | undefined {
    const { origin, 'access-control-request-method': asked } = request.headers
    if (request.method !== 'OPTIONS' || asked === undefined || origin === undefined) return undefined
    if (!this.#allows(origin)) return { status: 204, headers: {} }
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': this.#allowed,
        'Access-Control-Max-Age': '600',
      },
    }
  }

  #allows(origin: string): boolean {
    return this.#allowsAny || this.#origins.find(origin) !== undefined
  }
}
