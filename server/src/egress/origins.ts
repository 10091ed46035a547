import { OriginSet } from '../base/origins.ts'
import { isPublicAddress, literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import type { Outgoing, Sender } from './network.ts'

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
  /** True for an origin that this sender may name although it is not listed. Nothing is sent there over the network. */
  readonly alsoAllows?: ((by: Sender, origin: string) => boolean) | undefined
}

/** The origins that the operator allows. */
export class AllowedOrigins {
  readonly #mapped: Readonly<Record<string, string>>
  readonly #mappedOrigins: OriginSet
  readonly #origins: OriginSet
  readonly #alsoAllows: NonNullable<OriginOptions['alsoAllows']>

  constructor({ origins = [], mapped = {}, alsoAllows = () => false }: OriginOptions) {
    this.#alsoAllows = alsoAllows
    this.#mapped = mapped
    this.#mappedOrigins = new OriginSet(Object.keys(mapped))
    this.#origins = new OriginSet([...origins, ...Object.keys(mapped)])
  }

  /** Returns the URL if its sender may name it. @throws {EgressError} policy */
  checked(url: URL, by: Sender): URL {
    if (url.username !== '' || url.password !== '') {
      throw new EgressError('policy', 'a URL must not contain a user name or password')
    }
    if (!this.#isListed(url) && !this.#alsoAllows(by, url.origin))
      throw new EgressError('policy', 'this origin is not allowed')
    return url
  }

  /** Returns where a request is sent. */
  destinationOf(url: URL): Pick<Outgoing, 'to' | 'accepts' | 'isOffline'> {
    if (!this.#isListed(url)) return { accepts: () => false, isOffline: true }
    const listed = this.#mappedOrigins.find(url.origin)
    const instead = listed === undefined ? undefined : this.#mapped[listed]
    return {
      to: instead === undefined ? url : atOrigin(url, instead),
      accepts: address =>
        instead !== undefined || literalAddress(url) === address || isPublicAddress(address),
    }
  }

  #isListed({ origin }: URL): boolean {
    return this.#origins.find(origin) !== undefined
  }
}

/** Returns the same URL at another origin. */
export function atOrigin({ pathname, search }: URL, origin: string): URL {
  return new URL(`${origin}${pathname}${search}`)
}
