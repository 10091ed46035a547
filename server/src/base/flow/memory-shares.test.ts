import t from 'tap'
import { countedGrowth, MemoryShares } from './memory-shares.ts'

t.test('a tenant takes at most a half of what others leave', async t => {
  const shares = new MemoryShares(1000)
  t.match(shares.take('a', 501), { code: 'unavailable', headers: { 'Retry-After': '1' } })
  t.equal(shares.take('a', 500), undefined)
  t.ok(shares.take('a', 1))
  t.ok(shares.take('b', 251))
  t.equal(shares.take('b', 250), undefined, 'there is always something left')
  t.equal(shares.take('c', 125), undefined)
  shares.release('a', 500)
  t.equal(shares.take('b', 62), undefined, 'what one gives back is for all')
  t.equal(shares.take('a', 200), undefined)
})

t.test('the first 64 KB of a body do not count', async t => {
  const kilobyte = 1024
  t.equal(countedGrowth(0, 64 * kilobyte), 0)
  t.equal(countedGrowth(60 * kilobyte, 70 * kilobyte), 6 * kilobyte)
  t.equal(countedGrowth(100, 100), 0)
  t.equal(countedGrowth(70 * kilobyte, 80 * kilobyte), 10 * kilobyte)
})
