import { limits } from '../generated/facts.ts'
import { type ErrorCode, type FieldErrors, ServiceError } from './errors.ts'

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
