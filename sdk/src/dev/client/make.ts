import { misspeltIn } from './resembling.ts'
import {
  advertisedSocialSecurityNumber,
  declinedAccounts,
  declinedCards,
  employerPrefixes,
  sampleEmployerDigits,
  sampleSocialSecurityNumbers,
  testCards,
  testRoutingNumbers,
} from './test-numbers.ts'

/**
 * The card to make. A `declined` one is a Visa, for which `true` gives no reason.
 *
 * @example
 * ```ts
 * const options: DevCardOptions = { brand: 'amex', expired: true }
 * ```
 */
export interface DevCardOptions {
  readonly brand?: keyof typeof testCards
  readonly expired?: boolean
  readonly declined?: boolean | keyof typeof declinedCards
}

/**
 * Data of a token of the type `card`.
 *
 * @example
 * ```ts
 * const card: DevCard = dev.make.card()
 * await surrogate.tokens.create({ type: 'card', data: card })
 * ```
 */
export interface DevCard {
  readonly number: string
  readonly expiration_month: number
  readonly expiration_year: number
  readonly cvc: string
}

/**
 * Data of a token of the type `bank`.
 *
 * @example
 * ```ts
 * const bank: DevBank = dev.make.bank()
 * await surrogate.tokens.create({ type: 'bank', data: bank })
 * ```
 */
export interface DevBank {
  readonly routing_number: string
  readonly account_number: string
}

const names = {
  card: ['brand', 'expired', 'declined'],
  bank: ['declined'],
  socialSecurityNumber: ['invalid'],
}

/**
 * Makes data of tokens from published test numbers, without a server. The same seed makes the same data in the same
 * order, in the same year.
 *
 * @example
 * ```ts
 * const make = new DevMake(42)
 * await surrogate.tokens.create({ type: 'card', data: make.card({ brand: 'mastercard' }) })
 * await surrogate.tokens.create({ type: 'bank', data: make.bank() })
 * await surrogate.tokens.create({ type: 'employer_id_number', data: make.employerIdNumber() })
 * ```
 */
export class DevMake {
  readonly #random: () => number
  readonly #now: Date

  /**
   * @param seed a whole number
   * @param now the time at which cards have expired or not
   */
  constructor(seed = 1, now = new Date()) {
    if (!Number.isSafeInteger(seed)) throw new TypeError('the seed must be a whole number')
    this.#random = mulberry32(seed)
    this.#now = now
  }

  /** Makes a card whose number passes the Luhn check. @throws {TypeError} for an option that does not exist */
  card(options: DevCardOptions = {}): DevCard {
    refuseUnknown('card', options)
    const { brand, expired = false, declined = false } = options
    const brands = Object.keys(testCards) as (keyof typeof testCards)[]
    const number =
      declined === false
        ? this.#oneOf(rowOf(testCards, 'brand', brand ?? this.#oneOf(brands)))
        : rowOf(declinedCards, 'declined', declined === true ? 'generic' : declined)
    if (declined !== false && brand !== undefined && brand !== 'visa')
      throw new TypeError('brand: a declined card is a visa')
    const year = this.#now.getUTCFullYear()
    const isAmex = /^3[47]/.test(number)
    return {
      number,
      expiration_month: 1 + this.#below(12),
      expiration_year: expired ? year - 1 - this.#below(5) : year + 1 + this.#below(5),
      cvc: this.#digits(isAmex ? 4 : 3),
    }
  }

  /** Makes a bank account whose routing number passes the check of the ABA. @throws {TypeError} as `card` does */
  bank(options: { readonly declined?: boolean | keyof typeof declinedAccounts } = {}): DevBank {
    refuseUnknown('bank', options)
    const { declined = false } = options
    const account =
      declined === false
        ? `000${this.#digits(9)}`
        : rowOf(declinedAccounts, 'declined', declined === true ? 'generic' : declined)
    return { routing_number: this.#oneOf(testRoutingNumbers), account_number: account }
  }

  /**
   * Returns one of two social security numbers that were printed as samples; with `invalid` one of ten whose range does
   * not exist. @throws {TypeError} as `card` does
   */
  socialSecurityNumber(options: { readonly invalid?: boolean } = {}): string {
    refuseUnknown('socialSecurityNumber', options)
    return options.invalid
      ? `${advertisedSocialSecurityNumber}${this.#digits(1)}`
      : this.#oneOf(sampleSocialSecurityNumbers)
  }

  /** Makes an employer identification number with a prefix that exists and the digits of samples. */
  employerIdNumber(): string {
    return `${this.#oneOf(employerPrefixes)}-${sampleEmployerDigits}`
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  #digits(count: number): string {
    return Array.from({ length: count }, () => this.#below(10)).join('')
  }
}

function rowOf<T extends object, K extends keyof T>(table: T, option: string, name: K): T[K] {
  if (Object.hasOwn(table, name)) return table[name]
  throw new TypeError(`${option} must be one of ${Object.keys(table).join(', ')}`)
}

function refuseUnknown(maker: keyof typeof names, options: object): void {
  const known = names[maker]
  if (Object.keys(options).every(name => known.includes(name))) return
  throw new TypeError(`${maker} takes ${known.join(', ')}${misspeltIn(options, known)}`)
}

/** Returns numbers from 0 to below 1, the same ones for the same seed. (Mulberry32, by Tommy Ettinger.) */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
