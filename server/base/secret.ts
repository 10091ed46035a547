const inspect = Symbol.for('nodejs.util.inspect.custom')
const hidden = '[hidden]'

/**
 * A value that must not be printed. Templates, JSON, `console.log` and error messages show `[hidden]`;
 * only a call of `expose()`, easy to find in review, gives the value.
 *
 * @example
 * const data = new Plaintext('4242424242424242')
 * `${data}` // '[hidden]'
 * data.expose() // '4242424242424242'
 */
export class Plaintext<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  expose(): T {
    return this.#value
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [inspect](): string {
    return hidden
  }
}
