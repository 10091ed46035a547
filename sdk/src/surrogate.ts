import type { DetokenizedPayload, TokenizedPayload } from './generated/types.gen.ts'
import { type RequestOptions, type SurrogateOptions, settingsFrom } from './options.ts'
import { Applications } from './resources/applications.ts'
import { Logs } from './resources/logs.ts'
import { ReactorFormulas } from './resources/reactor-formulas.ts'
import { Reactors } from './resources/reactors.ts'
import { Sessions } from './resources/sessions.ts'
import { Tokens } from './resources/tokens.ts'
import { realWaits, type Waits } from './retry.ts'
import { createSend, type Send } from './transport.ts'
import type { Json } from './typed-data.ts'

/**
 * A client for one server and one key. Make as many as you have keys; they share nothing. The key is kept where printing
 * the client does not show it.
 *
 * Every call answers the body, or undefined where there is none, and throws a `SurrogateError` if it fails.
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
  /** Sensitive values and what stands in for them. */
  readonly tokens: Tokens
  /** Code templates. */
  readonly reactorFormulas: ReactorFormulas
  /** Configured instances of formulas, which run on the data behind tokens. */
  readonly reactors: Reactors
  /** Short-lived keys for places you do not control, such as a browser. */
  readonly sessions: Sessions
  /** The holders of API keys, and what each may do. */
  readonly applications: Applications
  /** What was done in the tenant, and by whom. */
  readonly logs: Logs

  readonly #options: SurrogateOptions
  readonly #waits: Waits
  readonly #send: Send

  /** Throws a `TypeError` if an option cannot be right, such as an empty key or a base URL that is none. */
  constructor(options: SurrogateOptions)
  /** @internal */
  constructor(options: SurrogateOptions, waits: Waits)
  constructor(options: SurrogateOptions, waits = realWaits) {
    const send = createSend(settingsFrom(options), waits)
    this.#options = options
    this.#waits = waits
    this.#send = send
    this.tokens = new Tokens(send)
    this.reactorFormulas = new ReactorFormulas(send)
    this.reactors = new Reactors(send)
    this.sessions = new Sessions(send)
    this.applications = new Applications(send)
    this.logs = new Logs(send)
  }

  /**
   * Makes a token of each value in a payload, all or none, and answers the payload with the tokens in their places: a
   * token object for each object that has `type` and `data`, a token id for each other value. Needs `token:create` on
   * every container.
   *
   * Throws `BadRequestError` if one of them is not valid, `ConflictError` if an id is taken.
   *
   * @example
   * ```ts
   * const { card, email } = await surrogate.tokenize<{ card: Token<Card>; email: string }>({
   *   card: { type: 'card', data: { number: '4242424242424242' } },
   *   email: 'jane@example.org',
   * })
   * ```
   */
  tokenize<T = TokenizedPayload>(payload: Json, options?: RequestOptions): Promise<T> {
    return this.#send('tokenize', { body: payload as TokenizedPayload }, options) as Promise<T>
  }

  /**
   * Answers the payload with each `{{ token-id }}` expression in it replaced by the token's data, as far as the rules for
   * `token:use` show it. At most 100 different tokens.
   *
   * Throws `BadRequestError` naming every token that does not exist, `PermissionError` if one may not be used.
   *
   * @example
   * ```ts
   * const { card } = await surrogate.detokenize<{ card: Card }>({ card: '{{ token-id }}' })
   * ```
   */
  detokenize<T = DetokenizedPayload>(payload: Json, options?: RequestOptions): Promise<T> {
    return this.#send('detokenize', { body: payload as TokenizedPayload }, options) as Promise<T>
  }

  /**
   * A client with the same options that calls with the key of a session.
   *
   * @example
   * ```ts
   * const session = await surrogate.sessions.create()
   * const page = surrogate.withSession(session.session_key)
   * ```
   */
  withSession(sessionKey: string): Surrogate {
    return new Surrogate({ ...this.#options, apiKey: sessionKey }, this.#waits)
  }
}
