import { isPublicAddress, literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'

export interface OriginOptions {
  /**
   * The allowed origins, such as `https://api.example.com`; by default none. A name must resolve to a public address;
   * an origin given as an address may be private, since the operator chose it.
   */
  readonly origins?: readonly string[]
  /**
   * Origins whose requests are sent to others, by origin, which callers do not notice. They are allowed too, and the
   * other may be private.
   */
  readonly mapped?: Readonly<Record<string, string>>
}

/** Where a request for an allowed URL is sent. */
interface Destination {
  readonly url: URL
  /** True for an address that the request may go to. */
  accepts(address: string): boolean
}

/** The origins that the operator allows. */
export class AllowedOrigins {
  readonly #mapped: ReadonlyMap<string, string>
  readonly #origins: ReadonlySet<string>

  constructor({ origins = [], mapped = {} }: OriginOptions) {
    this.#mapped = new Map(Object.entries(mapped))
    this.#origins = new Set([...origins, ...this.#mapped.keys()])
  }

  /** Returns the URL if it is allowed. @throws {EgressError} policy */
  checked(url: URL): URL {
    if (url.username !== '' || url.password !== '') {
      throw new EgressError('policy', 'a URL must not contain a user name or password')
    }
    if (!this.#origins.has(url.origin)) throw new EgressError('policy', 'this origin is not allowed')
    return url
  }

  destinationOf(url: URL): Destination {
    const instead = this.#mapped.get(url.origin)
    return {
      url: instead === undefined ? url : atOrigin(url, instead),
      accepts: address =>
        instead !== undefined || literalAddress(url) === address || isPublicAddress(address),
    }
  }
}

/** Returns the same URL at another origin. */
export function atOrigin({ pathname, search }: URL, origin: string): URL {
  return new URL(`${origin}${pathname}${search}`)
}
