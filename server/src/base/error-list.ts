import { type ErrorCode, type FieldErrors, ServiceError } from './errors.ts'

/** More messages than anyone reads are neither collected nor sent. */
export const mostErrors = 100

/** Appended to the detail of a problem where the request may have more errors than it lists. */
export const moreErrors = '; there may be more errors than are listed'

/** Collects what is wrong with a request, at most 100 messages, in time that does not depend on how many there are. */
// Requirements: WIR-521
export class ErrorList {
  readonly #messages = new Map<string, string[]>()
  #count = 0

  /** From here on, nothing is added: looking for more errors is of no use. */
  get isFull(): boolean {
    return this.#count >= mostErrors
  }

  /** A message that the path has already is not repeated. */
  add(path: string, message: string): void {
    const messages = this.#messages.get(path) ?? []
    if (this.isFull || messages.includes(message)) return
    messages.push(message)
    this.#messages.set(path, messages)
    this.#count++
  }

  /** Adds all messages of `errors`, with their paths changed by `toPath`. */
  addAll(errors: FieldErrors, toPath: (path: string) => string): void {
    for (const [path, messages] of Object.entries(errors)) {
      for (const message of messages) this.add(toPath(path), message)
    }
  }

  toErrors(): FieldErrors {
    return Object.fromEntries(this.#messages)
  }

  /** @throws {ServiceError} of this code, if there is any error */
  refuseIfAny(detail: string, code: ErrorCode = 'validation'): void {
    if (this.#count === 0) return
    throw new ServiceError(code, this.isFull ? detail + moreErrors : detail, { errors: this.toErrors() })
  }
}
