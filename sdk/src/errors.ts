import type { Problem } from './generated/types.gen.ts'

/**
 * Base class of the errors that calls throw. The exceptions are invalid arguments (`TypeError`) and the reason of your
 * own `AbortSignal`. Errors contain neither API keys nor request bodies.
 *
 * Every error has all members, so that one `catch` can read them. Without a response from the server
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
  /** HTTP status of the response. */
  declare readonly status: number | undefined
  /** Problem document (RFC 9457) of the response, if it has one. Decide by its `type`. */
  declare readonly problem: Problem | undefined
  /** Messages by the path of the member they are about: `{ 'data.number': ['must pass the Luhn check'] }`. */
  declare readonly errors: Record<string, string[]>
  /** Identifies the request in the server's log. */
  declare readonly traceId: string | undefined
  /** Headers of the response. */
  declare readonly headers: Headers | undefined

  constructor(message: string, answer: Partial<Omit<ErrorAnswer, 'body'>> = {}, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, { errors: answer.problem?.errors ?? {} }, answer)
  }
}

/**
 * The response that an `APIError` is created from.
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
  /** The parsed body if it is JSON, otherwise its text. */
  readonly body?: unknown
}

/**
 * The server responded with an error, or with something that is not a valid response. Base class of the errors by
 * status; statuses without a class of their own, such as one that a formula chose, throw this class.
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

  constructor(message: string, { body, ...answer }: ErrorAnswer) {
    super(message, answer)
    this.#body = body
  }

  /**
   * Body of the response: parsed if it is JSON, otherwise its text. It may contain output of a formula, so it is not
   * shown when the error is printed.
   */
  get body(): unknown {
    return this.#body
  }
}

/**
 * There was no response: the server cannot be reached, or the connection broke. `cause` is the error of `fetch`.
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
 * The response was not complete within the `timeout`.
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

/** Names error classes by strings, which minifiers do not change: `API` names the `APIError`. */
export function nameErrors(classes: Record<string, { prototype: { readonly name: string } }>): void {
  for (const [name, { prototype }] of Object.entries(classes))
    (prototype as { name: string }).name = `${name}Error`
}

nameErrors({ Surrogate: SurrogateError, API: APIError, Connection: ConnectionError, Timeout: TimeoutError })
