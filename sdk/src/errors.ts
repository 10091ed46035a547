import type { Problem } from './generated/types.gen.ts'

/**
 * Base of everything that a call throws, but for wrong arguments (`TypeError`) and the reason of your own
 * `AbortSignal`. Neither API keys nor request bodies get into errors.
 *
 * The members are there on every error, so that one `catch` can read them: without an answer from the server
 * (`ConnectionError`) `status`, `problem`, `traceId` and `headers` are undefined and `errors` is empty.
 *
 * @example
 * ```ts
 * try {
 *   await surrogate.tokens.get('token-id')
 * } catch (error) {
 *   if (!(error instanceof SurrogateError)) throw error
 *   console.error(error.message, error.traceId, error.errors)
 * }
 * ```
 */
export class SurrogateError extends Error {
  /** HTTP status of the answer. */
  readonly status: number | undefined
  /** The problem document (RFC 9457) of the answer, if it was one; decide by its `type`. */
  readonly problem: Problem | undefined
  /** Messages by the member of the request they are about, as in `{ 'data.number': ['must pass the Luhn check'] }`. */
  readonly errors: Record<string, string[]>
  /** Names the exchange in the server's log. */
  readonly traceId: string | undefined
  /** Headers of the answer. */
  readonly headers: Headers | undefined

  constructor(message: string, answer: Partial<ErrorAnswer> = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = answer.status
    this.problem = answer.problem
    this.errors = answer.problem?.errors ?? {}
    this.traceId = answer.traceId
    this.headers = answer.headers
  }
}

/**
 * What an `APIError` is made from.
 *
 * @example
 * ```ts
 * const answer: ErrorAnswer = { status: 404, headers: new Headers() }
 * const error = new NotFoundError('no such token', answer)
 * ```
 */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: Headers
  readonly problem?: Problem | undefined
  readonly traceId?: string | undefined
  /** Parsed if it was JSON, else its text. */
  readonly body?: unknown
}

/**
 * The server answered, with an error or with something that is no answer of its. Statuses that have no class of their
 * own, such as one that a formula chose, come as this.
 *
 * @example
 * ```ts
 * try {
 *   await surrogate.reactors.react('reactor-id', { args: { amount: 1250 } })
 * } catch (error) {
 *   if (error instanceof APIError && error.status === 402) console.error('declined', error.body)
 *   else throw error
 * }
 * ```
 */
export class APIError extends SurrogateError {
  declare readonly status: number
  declare readonly headers: Headers
  readonly #body: unknown

  constructor(message: string, answer: ErrorAnswer) {
    super(message, answer)
    this.#body = answer.body
  }

  /**
   * The answer's body: parsed if it is JSON, else its text. It may hold what a formula put there, so it is left out
   * when the error is printed.
   */
  get body(): unknown {
    return this.#body
  }
}

/**
 * No answer came: the server cannot be reached, or the connection broke. `cause` holds what `fetch` threw.
 *
 * @example
 * ```ts
 * await surrogate.tokens.get('token-id').catch(error => {
 *   if (error instanceof ConnectionError) console.error('is the server up?', error.cause)
 * })
 * ```
 */
export class ConnectionError extends SurrogateError {
  declare readonly name: 'ConnectionError' | 'TimeoutError'
}

/**
 * No complete answer came within the `timeout`.
 *
 * @example
 * ```ts
 * await surrogate.tokens.get('token-id', { timeout: 500 }).catch(error => {
 *   if (error instanceof TimeoutError) console.error('too slow')
 * })
 * ```
 */
export class TimeoutError extends ConnectionError {
  declare readonly name: 'TimeoutError'
}

/** Gives error classes names that minifiers leave alone. */
export function nameErrors(classes: Record<string, { prototype: { readonly name: string } }>): void {
  for (const [name, { prototype }] of Object.entries(classes)) (prototype as { name: string }).name = name
}

nameErrors({ SurrogateError, APIError, ConnectionError, TimeoutError })
