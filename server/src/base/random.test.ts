import t from 'tap'
import { testRule } from '../../verify/support/test-rule.ts'
import { seededRandom, systemRandom } from './random.ts'

t.test('bytes are random each time, and do not share memory', async t => {
  const random = systemRandom()
  const seen = new Set<string>()
  for (let round = 0; round < 2000; round++) {
    const bytes = random.bytes(round % 50 === 0 ? 4096 : 16)
    seen.add(Buffer.from(bytes).toString('hex'))
    bytes.fill(0)
  }
  t.equal(seen.size, 2000)
})

testRule('a timed UUID begins with the time in milliseconds, and is random besides', async t => {
  const random = systemRandom()
  const before = Date.now()
  const ids = Array.from({ length: 1000 }, () => random.timedUuid())
  const after = Date.now()
  for (const id of ids) {
    t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const ms = Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
    t.ok(ms >= before && ms <= after)
  }
  t.equal(new Set(ids.map(id => id.slice(15))).size, 1000)
})

t.test('seeded values are the same in each run, timed UUIDs too', async t => {
  const of = (seed: string) => {
    const random = seededRandom(seed)
    return [random.uuid(), random.timedUuid(), Buffer.from(random.bytes(20)).toString('hex')]
  }
  t.same(of('a'), of('a'))
  t.strictNotSame(of('a'), of('b'))
})
