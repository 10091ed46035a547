import fc from 'fast-check'
import t from 'tap'
import { comparePlaces, type ListPosition, merge, sourceOf } from './merged-list.ts'

/** Few times, so that many are equal. */
const places = fc.uniqueArray(
  fc.record({ createdUs: fc.integer({ min: 0, max: 12 }), id: fc.string({ maxLength: 3 }) }),
  { selector: ({ id }) => id, maxLength: 30 },
)

t.test('a page of two merged lists equals that page of one sorted list', async t => {
  await fc.assert(
    fc.asyncProperty(places, fc.nat(35), fc.integer({ min: 1, max: 12 }), async (all, offset, limit) => {
      const thirds = [0, 1, 2].map(third => sourceOf(all.filter((_, index) => index % 3 === third)))
      const [a = sourceOf<ListPosition>([]), b = a, c = a] = thirds
      const merged = merge(merge(a, b), c)
      t.equal(await merged.total(), all.length)
      t.same(await merged.page(offset, limit), [...all].sort(comparePlaces).slice(offset, offset + limit))
    }),
  )
})

t.test('items are sorted newest first, then by id', async t => {
  const source = sourceOf([
    { createdUs: 1, id: 'b' },
    { createdUs: 2, id: 'a' },
    { createdUs: 1, id: 'c' },
  ])
  const ids = (await source.page(0, 3)).map(({ id }) => id)
  t.same(ids, ['a', 'c', 'b'])
  t.equal(await source.before({ createdUs: 1, id: 'b' }), 2)
})
