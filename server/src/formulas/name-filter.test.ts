import fc from 'fast-check'
import t from 'tap'
import { newMasterKey, OpenMemoryEngine, sealedOn, tenantA } from '../../verify/support/stores.ts'
import { findByName, nameFilter } from './name-filter.ts'

t.test('what matches, and what does not', async t => {
  const rows: [filter: string, name: string, matches: boolean][] = [
    ['card', 'My Card check', true],
    ['CARD', 'my card', true],
    ['card', 'car d', false],
    ['', 'anything', true],
    ['card*', 'Card check', true],
    ['card*', 'My card', false],
    ['*card', 'My card', true],
    ['*card', 'card check', false],
    ['*card*', 'My card check', true],
    ['c*k', 'card check', true],
    ['c*d', 'card check', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*b*', 'ba', false],
    ['*', '', true],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['a?', 'ab', false],
    ['(*)', '(x)', true],
    ['é*', 'École', true],
  ]
  for (const [filter, name, matches] of rows)
    t.equal(nameFilter(filter)(name), matches, `${filter} ~ ${name}`)
})

t.test('a filter with stars means what its regular expression does', async t => {
  const text = fc.array(fc.constantFrom('a', 'b', 'B', '*'), { maxLength: 8 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, text, (filter, given) => {
      const name = given.replaceAll('*', '')
      const pattern = filter.includes('*') ? `^${filter.replaceAll('*', '.*')}$` : filter
      t.equal(nameFilter(filter)(name), new RegExp(pattern, 'i').test(name), `${filter} ~ ${name}`)
    }),
  )
})

t.test('no record is left out because others are made or deleted in the meantime', async t => {
  const store = await sealedOn(new OpenMemoryEngine(), newMasterKey()).createTenant(tenantA, 1)
  const add = (id: number) => store.insert('formula', { id: `f${id}`, name: `name ${id}` } as never)
  for (let id = 0; id < 600; id++) await store.commit([add(id)], id + 1)
  let seen = 0
  const removed = new Set<string>()
  const matches = () => {
    // One that was seen before, so that all later ones move by one.
    const id = `f${seen++}`
    removed.add(id)
    void store.commit([store.remove('formula', id), add(1000 + seen)], 1000 + seen)
    return seen <= 600
  }
  const found = await findByName(store, 'formula', { op: 'all' }, matches, 1)
  t.same(
    found.map(({ id }) => id),
    Array.from({ length: 600 }, (_, id) => `f${id}`),
  )
  t.ok(removed.has('f599'))
})
