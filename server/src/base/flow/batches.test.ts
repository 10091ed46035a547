import fc from 'fast-check'
import t from 'tap'
import { testRule } from '../../../verify/support/test-rule.ts'
import { batches } from './batches.ts'

const identity = (weight: number) => weight
const sum = (weights: readonly number[]) => weights.reduce((total, one) => total + one, 0)

testRule('batches keep all items in order, within the weight, and none is too small', async t => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 30 }), (weights, most) => {
      const all = [...batches(weights, most, identity)]
      t.same(all.flat(), weights)
      for (const [index, batch] of all.entries()) {
        t.ok(batch.length === 1 || (batch.length > 1 && sum(batch) <= most))
        const next = all[index + 1]?.[0]
        if (next !== undefined) t.ok(sum(batch) + next > most, 'the next item has no room')
      }
    }),
  )
})

t.test('an item that is too heavy is alone', async t => {
  t.same([...batches([1, 9, 1, 1], 2, identity)], [[1], [9], [1, 1]])
  t.same([...batches([], 2, identity)], [])
})
