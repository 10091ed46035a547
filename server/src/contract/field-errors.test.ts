import t from 'tap'
import { Validators } from './validators.ts'

const validators = new Validators('SVC')
const messagesOf = (data: object) => validators.check('CardData', data as never, 'data')
const number = '4242424242424242'

t.test('a card that is refused is told what to change, and no more', async t => {
  t.same(messagesOf({ number: '4242 4242 4242 4242' }), {
    'data.number': ['must be digits only, without blanks'],
  })
  t.same(messagesOf({ number: '4242424242424241' }), {
    'data.number': ['must be a number whose check digit is right (Luhn)'],
  })
  for (const year of [30, 20300])
    t.same(messagesOf({ number, expiration_year: year }), {
      'data.expiration_year': ['must have four digits'],
    })
  t.same(messagesOf({ number, expiration_month: 13 }), { 'data.expiration_month': ['must be at most 12'] })
  t.same(messagesOf({ number, cvc: '12a' }), { 'data.cvc': ['must be 3 to 4 digits only, without blanks'] })
  t.same(messagesOf({ number, cvc: '123', expiration_year: 2030 }), {}, 'control')
})
