import fc from 'fast-check'
import t from 'tap'
import { anyText } from '../../verify/support/any-text.ts'
import type { JsonValue } from '../base/json/json.ts'
import { expressionLimits } from '../base/limits.ts'
import { Meter } from './meter.ts'
import { countCharacters, jsonSize, sliceCharacters } from './text.ts'

const run = {
  meter: new Meter({ ...expressionLimits, steps: 1e12 }, () => []),
}

t.test('jsonSize returns the length of the JSON', async t => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), value => {
      const text = JSON.stringify(value)
      t.equal(jsonSize(JSON.parse(text) as JsonValue), text.length)
    }),
  )
})

t.test('jsonSize stops soon after the maximum', async t => {
  const half = 'x'.repeat(1000)
  let value: JsonValue = [half, half]
  for (let turn = 0; turn < 40; turn++) value = [value, value]
  t.ok(jsonSize(value, 5000) > 5000, 'for a value of 2^41 texts')
})

t.test('characters are code points', async t => {
  fc.assert(
    fc.property(
      anyText({ maxLength: 20 }),
      fc.integer({ min: -25, max: 25 }),
      fc.nat(25),
      (text, from, to) => {
        const characters = Array.from(text)
        t.equal(countCharacters(text, run), characters.length)
        t.equal(sliceCharacters(text, run, from, to), characters.slice(from, to).join(''))
      },
    ),
  )
})
