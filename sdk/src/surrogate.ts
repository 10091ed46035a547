import { explainLost } from './explain-lost.ts'
import { isMistake } from './fetch.ts'
import { Client } from './generated/resources/client.gen.ts'
import type { RevealingTokens } from './generated/resources/iterable-tokens.gen.ts'
import { withLog } from './observe.ts'
import type { SurrogateOptions } from './options.ts'
import { realWaits, type Waits } from './retry.ts'
import { createSend } from './transport.ts'

/**
 * A client for one server and one key. Create one for each of your keys; clients share no state. Printing a client does
 * not show its key.
 *
 * Every call resolves with the body of the response, or undefined if there is none, and throws a `SurrogateError` if it
 * fails.
 *
 * @example
 * ```ts
 * const surrogate = new Surrogate({ apiKey: 'key_prv_…', baseUrl: 'http://127.0.0.1:4000' })
 *
 * const token = await surrogate.tokens.create({
 *   type: 'card',
 *   data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 },
 * })
 * ```
 */
export class Surrogate extends Client {
  readonly #options: SurrogateOptions
  readonly #waits: Waits

  /** Throws a `TypeError` if an option is invalid, such as an empty key or a malformed base URL. */
  constructor(options: SurrogateOptions)
  /** @internal */
  constructor(options: SurrogateOptions, waits: Waits)
  constructor(options: SurrogateOptions, waits = realWaits) {
    super(createSend(options && { isMistake, ...withLog(options) }, waits, explainLost))
    this.#options = options
    this.#waits = waits
  }

  /**
   * Returns this client with narrower types, for a key whose rules reveal data: `data` of the tokens that it reads is
   * present and whole. The server still decides by the rules.
   *
   * @example
   * ```ts
   * const { data } = await surrogate.revealing().tokens.get<Card>('token-id')
   * const month: number | null | undefined = data.expiration_month
   * ```
   */
  revealing(): RevealingSurrogate {
    return this as unknown as RevealingSurrogate
  }

  /**
   * Returns a client with the same options and the key of a session.
   *
   * @example
   * ```ts
   * const session = await surrogate.sessions.create()
   * const page = surrogate.withSession(session.session_key)
   * ```
   */
  withSession(sessionKey: string): Surrogate {
    return clientWith({ ...this.#options, apiKey: sessionKey }, this.#waits)
  }
}

/** Outside of the class, as bundlers rename a class that names itself: it would be printed as `_Surrogate`. */
function clientWith(options: SurrogateOptions, waits: Waits): Surrogate {
  return new Surrogate(options, waits)
}

/**
 * A client for a key whose rules reveal data.
 *
 * @example
 * ```ts
 * const revealing: RevealingSurrogate = surrogate.revealing()
 * for await (const { data } of revealing.tokens.list<Card>({ type: ['card'] })) console.log(data.number)
 * ```
 */
export interface RevealingSurrogate extends Omit<Surrogate, 'tokens'> {
  readonly tokens: RevealingTokens
}
