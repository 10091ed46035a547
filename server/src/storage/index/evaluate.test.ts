import t from 'tap'
import type { Digest, Query } from '../port/port.ts'
import { blockSize } from './bits.ts'
import { evaluate } from './evaluate.ts'

const every = Array.from({ length: 100 }, (_, block) => block)
const term = 'x'.repeat(22) as Digest
const inputs = {
  live: new Map(every.map(block => [block, [1, 2, 3]])),
  terms: new Map([[term, new Map(every.map(block => [block, [2]]))]]),
  leaves: new Map(),
  due: new Map(),
}
const page = { offset: 1, limit: 2, oldestFirst: true, within: { from: 0, end: Number.POSITIVE_INFINITY } }
const expected = { total: 100, ordinals: [blockSize + 2, 2 * blockSize + 2] }

t.test('between the parts of a long evaluation others have their turn', async t => {
  const order: string[] = []
  const passed = () => {
    order.push('asked')
    return new Promise<void>(resolve => setImmediate(resolve)).then(() => {
      order.push('passed')
    })
  }
  const picking = evaluate({ op: 'term', term }, inputs, page, passed)
  t.same(order, ['asked'], 'it waits')
  t.same(await picking, expected)
  t.same(order, ['asked', 'passed', 'asked', 'passed', 'asked', 'passed'])
})

t.test('an evaluation goes on at once where nobody waits, and asks nobody where it is short', async t => {
  let asked = 0
  const passed = () => {
    asked++
    return undefined
  }
  t.same(await evaluate({ op: 'term', term }, inputs, page, passed), expected)
  t.equal(asked, 3)
  const terms = new Map([[term, new Map(every.slice(0, 31).map(block => [block, [2]]))]])
  t.match(await evaluate({ op: 'term', term }, { ...inputs, terms }, page, passed), { total: 31 })
  t.equal(asked, 3)
})

t.test('two evaluations that take turns do not disturb each other', async t => {
  const passed = () => new Promise<void>(resolve => setImmediate(resolve))
  const pick = (query: Query) => evaluate(query, inputs, page, passed)
  const [one, other] = await Promise.all([
    pick({ op: 'term', term }),
    pick({ op: 'not', of: { op: 'term', term } }),
  ])
  t.same(one, expected)
  t.same(other, { total: 200, ordinals: [3, blockSize + 1] })
})
