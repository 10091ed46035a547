import { OriginSet } from '../base/origins.ts'
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
  readonly #mapped: Readonly<Record<string, string>>
  readonly #mappedOrigins: OriginSet
  readonly #origins: OriginSet

  constructor({ origins = [], mapped = {} }: OriginOptions) {
    this.#mapped = mapped
    this.#mappedOrigins = new OriginSet(Object.keys(mapped))
    this.#origins = new OriginSet([...origins, ...Object.keys(mapped)])
  }

  /** Returns the URL if it is allowed. @throws {EgressError} policy */
  checked(url: URL): URL {
    if (url.username !== '' || url.password !== '') {
      throw new EgressError('policy', 'a URL must not contain a user name or password')
    }
    if (this.#origins.find(url.origin) === undefined)
      throw new EgressError('policy', 'this origin is not allowed')
    return url
  }

  destinationOf(url: URL): Destination {
    const listed = this.#mappedOrigins.find(url.origin)
    const instead = listed === undefined ? undefined : this.#mapped[listed]
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
