import { format, inspect } from 'node:util'
import t from 'tap'
import { Plaintext } from './secret.ts'

class Card extends Plaintext {
  readonly number: string

  constructor(number: string) {
    super()
    this.number = number
  }
}

t.test('an object with plaintext is never printed, and its members can be read', async t => {
  const card = new Card('4242424242424242')
  const shown = [
    `${card}`,
    JSON.stringify({ card }),
    inspect(card, { depth: 9, showHidden: true }),
    inspect({ deep: [{ card }] }, { depth: 9 }),
    format('%s %o %j', card, card, card),
    new Error(`about ${card}`).message,
  ]
  for (const text of shown) {
    t.match(text, '[hidden]')
    t.notMatch(text, /4242/)
  }
  t.equal(card.number, '4242424242424242')
  t.match(inspect({ ...card }), /4242/, 'a copy of its members is not protected')
})
