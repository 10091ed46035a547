const inspect = Symbol.for('nodejs.util.inspect.custom')
const hidden = '[hidden]'

/**
 * What holds sensitive values and must not be printed as a whole. Templates, JSON, `console.log` and error messages
 * show `[hidden]`; its members are read as those of any object are.
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
