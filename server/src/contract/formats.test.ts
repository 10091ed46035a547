import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { isAbaRoutingNumber, isLuhnValid } from '../base/check-digits.ts'
import { formats } from './formats.ts'

t.test('the formats are those of the contract', async t => {
  const contract = JSON.parse(readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8'))
  t.same(Object.keys(formats).sort(), Object.keys(contract['x-formats']).sort())
})

t.test('published test numbers pass Luhn, and each change of one digit fails it', async t => {
  for (const number of ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117', '0']) {
    t.ok(isLuhnValid(number), number)
    for (let at = 0; at < number.length; at++) {
      const digit = (Number(number[at]) + 1) % 10
      t.notOk(isLuhnValid(number.slice(0, at) + digit + number.slice(at + 1)), `${number}, digit ${at}`)
    }
  }
  for (const text of ['', '4242-4242', ' 0', '４２', 'abc']) t.notOk(isLuhnValid(text), JSON.stringify(text))
})

t.test('exactly one check digit completes any digits', async t => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 18 })
  fc.assert(
    fc.property(digits, payload => {
      const completions = [...'0123456789'].filter(digit => isLuhnValid(payload.join('') + digit))
      t.equal(completions.length, 1)
    }),
  )
})

t.test('routing numbers pass by their checksum', async t => {
  for (const number of ['110000000', '021000021', '011401533', '091000019'])
    t.ok(isAbaRoutingNumber(number), number)
  for (const number of ['110000001', '12100002', '0210000210', '02100002a', ''])
    t.notOk(isAbaRoutingNumber(number), number)
})
