import type { Call } from './call.ts'
import { explainLost } from './explain-lost.ts'
import { isMistake } from './fetch.ts'
import { detokenize, tokenize } from './generated/operations.gen.ts'
import type { DetokenizedPayload, TokenizedPayload } from './generated/types.gen.ts'
import { withLog } from './observe.ts'
import type { RequestOptions, SurrogateOptions } from './options.ts'
import { Applications } from './resources/applications.ts'
import { IterableTokens, type RevealingTokens } from './resources/iterable-tokens.ts'
import { Jobs } from './resources/jobs.ts'
import { Logs } from './resources/logs.ts'
import { ReactorFormulas } from './resources/reactor-formulas.ts'
import { Reactors } from './resources/reactors.ts'
import { Sessions } from './resources/sessions.ts'
import { Tenants } from './resources/tenants.ts'
import { realWaits, type Waits } from './retry.ts'
import { createSend, type Send } from './transport.ts'
import type { Json } from './typed-data.ts'

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
export class Surrogate {
  /** Sensitive values, and the tokens that stand in for them. */
  declare readonly tokens: IterableTokens
  /** Code templates. */
  declare readonly reactorFormulas: ReactorFormulas
  /** Configured instances of formulas, which run with the data of tokens. */
  declare readonly reactors: Reactors
  /** Short-lived keys for code in places that you do not control, such as a browser. */
  declare readonly sessions: Sessions
  /** The holders of API keys, with their permissions. */
  declare readonly applications: Applications
  /** The tenant of the key, and the permissions that its applications may hold. */
  declare readonly tenants: Tenants
  /** The audit log of the tenant. */
  declare readonly jobs: Jobs
  declare readonly logs: Logs

  readonly #options: SurrogateOptions
  readonly #waits: Waits
  readonly #send: Send

  /** Throws a `TypeError` if an option is invalid, such as an empty key or a malformed base URL. */
  constructor(options: SurrogateOptions)
  /** @internal */
  constructor(options: SurrogateOptions, waits: Waits)
  constructor(options: SurrogateOptions, waits = realWaits) {
    const send = createSend(options && { isMistake, explain: explainLost, ...withLog(options) }, waits)
    this.#options = options
    this.#waits = waits
    this.#send = send
    this.tokens = new IterableTokens(send)
    this.reactorFormulas = new ReactorFormulas(send)
    this.reactors = new Reactors(send)
    this.sessions = new Sessions(send)
    this.applications = new Applications(send)
    this.tenants = new Tenants(send)
    this.jobs = new Jobs(send)
    this.logs = new Logs(send)
  }

  /**
   * Creates a token for each value in a payload, all or none, and returns the payload with tokens in the place of the
   * values: a token object for each object with `type` and `data`, a token id for each other value. Needs
   * `token:create` on every container.
   *
   * Throws `BadRequestError` if a value is not valid, `ConflictError` if an id is taken.
   *
   * @example
   * ```ts
   * const { card, email } = await surrogate.tokenize<{ card: Token<Card>; email: string }>({
   *   card: { type: 'card', data: { number: '4242424242424242' } },
   *   email: 'jane@example.org',
   * })
   * ```
   */
  tokenize<T = TokenizedPayload>(payload: Json, options?: RequestOptions): Call<T> {
    return this.#send(tokenize, { body: payload as TokenizedPayload }, options) as Call<T>
  }

  /**
   * Returns the payload with each `{{ token-id }}` expression replaced by the token's data, as the access rules for
   * `token:use` show it. A payload can have at most 100 different tokens.
   *
   * Throws `BadRequestError`, which names every token that does not exist, and `PermissionError` if the key may not use
   * a token.
   *
   * @example
   * ```ts
   * const { card } = await surrogate.detokenize<{ card: Card }>({ card: '{{ token-id }}' })
   * ```
   */
  detokenize<T = DetokenizedPayload>(payload: Json, options?: RequestOptions): Call<T> {
    return this.#send(detokenize, { body: payload as TokenizedPayload }, options) as Call<T>
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
