import fc from 'fast-check'
import t from 'tap'
import { expressionLimits } from '../base/limits.ts'
import { cut, indexOf, lastIndexOf } from './find-text.ts'
import { Meter } from './meter.ts'

const unlimited = { ...expressionLimits, steps: Number.POSITIVE_INFINITY }
const run = () => ({
  meter: new Meter(
    unlimited,
    () => 0,
    () => 0,
  ),
})

/** Texts of two letters, so that patterns are found or almost found. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength })

t.test('short and long patterns are found where V8 finds them', async t => {
  const short = fc.tuple(letters(0, 60), letters(0, 6))
  const long = fc
    .tuple(letters(1, 4), fc.integer({ min: 60, max: 150 }), letters(0, 3), letters(0, 40))
    .map(([unit, times, end, more]) => {
      const pattern = unit.repeat(times) + end
      return [more + unit.repeat(times + 3) + more + pattern + more + pattern, pattern] as const
    })
  const same = ([text, pattern]: readonly [string, string]) => {
    t.equal(indexOf(text, pattern, run()), text.indexOf(pattern))
    t.equal(indexOf(text, pattern, run(), 5), text.indexOf(pattern, 5))
    t.equal(lastIndexOf(text, pattern, run()), text.lastIndexOf(pattern))
    t.strictSame(cut(text, pattern, run()), text.split(pattern))
  }
  fc.assert(fc.property(short, same))
  fc.assert(fc.property(long, same))
})

t.test('a search is charged for the text that it visits', async t => {
  const spent = (text: string, pattern: string, from?: number) => {
    const meter = new Meter(
      unlimited,
      () => 0,
      () => 0,
    )
    let steps = 0
    meter.step = (count = 1) => {
      steps += count
    }
    indexOf(text, pattern, { meter }, from)
    return steps
  }
  const text = 'a'.repeat(256_000)
  t.ok(spent(text, 'b') >= 1000)
  t.ok(spent(text, 'a') < 2, 'found at once')
  t.ok(spent(text, `${'a'.repeat(300)}b`) >= 7000)
})
