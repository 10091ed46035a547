import { largeBody, type placeLimits } from '../limits.ts'
import { Places } from './places.ts'
import type { Principal } from './principal.ts'

/** A kind of place: `x-place` of the contract, or that of requests with a large body. */
type Kind = keyof typeof placeLimits

const names: Readonly<Record<Kind, string>> = {
  short: 'requests',
  long: 'lists, searches and payloads',
  large: 'requests with large bodies',
}

/** The places of requests by what they may cost. */
export class RequestPlaces {
  readonly #places: Readonly<Record<Kind, Places>>

  constructor(limits: typeof placeLimits) {
    const placesOf = (kind: Kind) => new Places(names[kind], limits[kind])
    this.#places = { short: placesOf('short'), long: placesOf('long'), large: placesOf('large') }
  }

  /** Returns the places for a request; `undefined` for one that costs little. */
  for(kind: Kind | undefined, bodyBytes: number): Places | undefined {
    if (bodyBytes > largeBody) return this.#places.large
    return kind && this.#places[kind]
  }

  /** Gives the place of a request back before it ends, as all that is left for it is to wait. */
  release(principal: Principal): void {
    this.#places.short.release(principal)
    this.#places.large.release(principal)
  }
}
