const inspect = Symbol.for('nodejs.util.inspect.custom')
const hidden = '[hidden]'

/**
 * Base class of objects with sensitive values. Template strings, JSON, `console.log` and error messages show `[hidden]`
 * instead of the object. Its members are read as usual.
 *
 * @example
 * class Card extends Plaintext {
 *   constructor(readonly number: string) { super() }
 * }
 * const card = new Card('4242424242424242')
 * `${card}` // '[hidden]'
 * JSON.stringify({ card }) // '{"card":"[hidden]"}'
 * card.number // '4242424242424242'
 */
export abstract class Plaintext {
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
