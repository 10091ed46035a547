import type { Test } from 'tap'
import t from 'tap'
import { digest, tenantA } from '../../port/port.samples.ts'
import { encodeBlock } from './bitmap.ts'
import { Epoch, ReadPace } from './epoch.ts'
import { blockKey, collectionKey, termPrefix } from './keys.ts'
import { openLevelDb } from './leveldb.ts'
import { type CachedTerm, TermCache } from './term-cache.ts'

const collection = collectionKey('token', tenantA)
const prefixOf = (name: string) => termPrefix(collection, digest(name))

/** An epoch in which each term named has its blocks. */
async function epochWith(t: Test, terms: Record<string, number[][]>): Promise<Epoch> {
  const level = await openLevelDb(t.testdir())
  t.teardown(() => level.close())
  for (const [name, blocks] of Object.entries(terms)) {
    for (const [block, offsets] of blocks.entries()) {
      await level.put(blockKey(prefixOf(name), block), encodeBlock(offsets) ?? Buffer.alloc(0))
    }
  }
  return new Epoch(level, new ReadPace())
}

/** Holds a term, and waits until it is loaded. */
async function hold(cache: TermCache, name: string, epoch: Epoch): Promise<CachedTerm> {
  const held = cache.hold(collection, digest(name), epoch)
  await held.loading
  return held
}

t.test('a term is read once, with all of its blocks and none of another', async t => {
  const epoch = await epochWith(t, { x: [[1], [2, 3]], y: [[9]] })
  const cache = new TermCache(1e6)
  const held = await hold(cache, 'x', epoch)
  t.same(
    [...cache.capture(held)],
    [
      [0, [1]],
      [1, [2, 3]],
    ],
  )
  t.notOk(cache.hold(collection, digest('x'), epoch).loading)
  t.same(cache.peek(collection, digest('x'), 1), [2, 3])
  t.same(cache.peek(collection, digest('x'), 7), [])
  t.equal(cache.peek(collection, digest('y'), 0), undefined, 'what is not here has to be read')
})

t.test('blocks published while a term is loaded override the loaded ones', async t => {
  const epoch = await epochWith(t, { x: [[1], [2, 3]] })
  const cache = new TermCache(1e6)
  const holding = [hold(cache, 'x', epoch), hold(cache, 'x', epoch)]
  t.equal(cache.peek(collection, digest('x'), 0), undefined)
  cache.publish(collection, digest('x'), 0, [])
  cache.publish(collection, digest('x'), 1, [2, 4])
  cache.publish(collection, digest('x'), 2, [5])
  for (const held of await Promise.all(holding)) {
    t.same([...cache.capture(held)].sort(), [
      [1, [2, 4]],
      [2, [5]],
    ])
  }
})

t.test('captured blocks do not change', async t => {
  const epoch = await epochWith(t, { x: [[1]] })
  const cache = new TermCache(1e6)
  const held = await hold(cache, 'x', epoch)
  const before = cache.capture(held)
  cache.publish(collection, digest('x'), 0, [1, 2])
  cache.publish(collection, digest('x'), 3, [4])
  t.same([...before], [[0, [1]]])
  t.same(cache.capture(held).get(0), [1, 2])
  cache.publish(collection, digest('x'), 3, [])
  t.equal(cache.capture(held).has(3), false)
})

t.test('the least recently used terms are dropped first, and none that is held', async t => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const epoch = await epochWith(t, Object.fromEntries(names.map(name => [name, [[1]]])))
  const cache = new TermCache(1_000)
  const isHere = (name: string) => cache.peek(collection, digest(name), 0) !== undefined
  const first = await hold(cache, 'a', epoch)
  for (const name of ['b', 'c', 'd']) cache.letGo(await hold(cache, name, epoch))
  t.same(names.filter(isHere), ['a', 'c', 'd'])
  cache.letGo(await hold(cache, 'c', epoch))
  cache.letGo(await hold(cache, 'e', epoch))
  t.same(names.filter(isHere), ['a', 'c', 'e'])
  cache.letGo(first)
  cache.letGo(await hold(cache, 'b', epoch))
  t.same(names.filter(isHere), ['b', 'c', 'e'])
  t.ok(cache.size <= 1_000)
})

t.test('a term that could not be read is not cached', async t => {
  const epoch = await epochWith(t, { x: [[1]] })
  const cache = new TermCache(1e6)
  await epoch.level.close()
  await t.rejects(hold(cache, 'x', epoch))
  t.equal(cache.size, 0)
})
