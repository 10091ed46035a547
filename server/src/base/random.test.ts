import t from 'tap'
import { systemRandom } from './random.ts'

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
