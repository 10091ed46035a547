import { limits } from '../generated/facts.ts'

/**
 * All error codes. A code is stable and names the problem's `type` (`urn:surrogate:error:<code>`); titles and details
 * may change.
 */
export const errorRegistry = {
  validation: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not JSON that can be kept' },
  invalid_query: { status: 400, title: 'The search query is not valid' },
  detokenize_failed: { status: 400, title: 'Some tokens could not be detokenized' },
  unauthenticated: { status: 401, title: 'The API key is missing, unknown or expired' },
  payment_method: { status: 402, title: 'The payment method was refused' },
  permission_denied: { status: 403, title: 'The caller may not do this' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'This path does not take this method' },
  conflict: { status: 409, title: 'The request conflicts with what is there' },
  in_use: { status: 409, title: 'Something else still uses this' },
  nonce_used: { status: 409, title: 'The nonce was used before' },
  idempotency_conflict: { status: 409, title: 'A request with this idempotency key is still in flight' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  unprocessable: { status: 422, title: 'The formula code cannot be run' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used with another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  reactor_runtime: { status: 500, title: 'Reactor Runtime Error' },
  target_failed: { status: 502, title: 'The target did not respond' },
  unavailable: { status: 503, title: 'The store cannot answer right now' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorRegistry

/** Messages by dotted snake_case path in the request, such as `data.routing_number`. */
export type FieldErrors = Record<string, string[]>

interface ErrorDetails {
  readonly errors?: FieldErrors
  readonly headers?: Record<string, string>
  readonly cause?: unknown
}

/**
 * An error that is sent to the caller. `detail` and `errors` reach the caller and the log: they may contain names of
 * members, limits and ids of ours, but never a value that was sent.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly errors: FieldErrors | undefined
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, detail: string, context: ErrorDetails = {}) {
    super(detail, context.cause === undefined ? undefined : { cause: context.cause })
    this.code = code
    this.errors = context.errors
    this.headers = context.headers ?? {}
  }

  get status(): number {
    return errorRegistry[this.code].status
  }
}

/** Returns a 400 about one member of the request. */
export function invalid(path: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('validation', `${path} ${message}`, { errors: { [path]: [message] }, cause })
}

/** @throws {ServiceError} validation, if there are any errors */
export function refuseIfAny(errors: FieldErrors, detail: string): void {
  if (Object.keys(errors).length > 0) throw new ServiceError('validation', detail, { errors })
}

/** Appended to the detail of a problem if the request may have more errors than are listed. */
export const moreErrors = '; there may be more errors than are listed'

/** Collects up to `limits.listedErrors` error messages about a request. Adding one takes constant time. */
// Requirements: WIR-521
export class ErrorList {
  readonly #messages = new Map<string, string[]>()
  #count = 0

  /** True if further messages are ignored. */
  get isFull(): boolean {
    return this.#count >= limits.listedErrors
  }

  /** Adds a message, unless the path has the same one already. */
  add(path: string, message: string): void {
    const messages = this.#messages.get(path) ?? []
    if (this.isFull || messages.includes(message)) return
    messages.push(message)
    this.#messages.set(path, messages)
    this.#count++
  }

  /** Adds all messages of `errors`, with their paths mapped by `toPath`. */
  addAll(errors: FieldErrors, toPath: (path: string) => string): void {
    for (const [path, messages] of Object.entries(errors)) {
      for (const message of messages) this.add(toPath(path), message)
    }
  }

  toErrors(): FieldErrors {
    return Object.fromEntries(this.#messages)
  }

  /** @throws {ServiceError} with `code`, if there is any error */
  refuseIfAny(detail: string, code: ErrorCode = 'validation'): void {
    if (this.#count === 0) return
    throw new ServiceError(code, this.isFull ? detail + moreErrors : detail, { errors: this.toErrors() })
  }
}

/** The cause of a refusal that is none by our access rules, and so not recorded as one. */
export class NotOfOurs {}
