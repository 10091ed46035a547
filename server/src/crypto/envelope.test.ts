import t from 'tap'
import { systemRandom } from '../base/random.ts'
import { keyLength, open, seal } from './envelope.ts'

const random = systemRandom()
const key = { version: 1, key: random.bytes(keyLength) }
const plain = Buffer.from('4242424242424242')

t.test('a box opens with its key, in its place, and nowhere else', async t => {
  const box = seal(key, 'token|tenant|id', plain, random)
  t.same(Buffer.from(open(key, 'token|tenant|id', box) ?? []), plain)
  t.equal(open(key, 'token|tenant|other', box), undefined)
  t.equal(open({ version: 1, key: random.bytes(keyLength) }, 'token|tenant|id', box), undefined)
  t.equal(open({ ...key, version: 2 }, 'token|tenant|id', box), undefined)
  t.notOk(Buffer.from(box).includes(plain))
})

t.test('a box with any byte changed does not open', async t => {
  const box = seal(key, 'here', plain, random)
  for (let at = 0; at < box.length; at++) {
    const changed = Uint8Array.from(box)
    changed[at] = (changed[at] ?? 0) ^ 1
    t.equal(open(key, 'here', changed), undefined, `byte ${at}`)
  }
  for (const length of [0, 10, box.length - 1]) {
    t.equal(open(key, 'here', box.subarray(0, length)), undefined, `${length} bytes`)
  }
})

t.test('the same value is sealed differently each time', async t => {
  const boxes = Array.from({ length: 100 }, () =>
    Buffer.from(seal(key, 'here', plain, random)).toString('hex'),
  )
  t.equal(new Set(boxes).size, 100)
})

t.test('an empty value can be sealed', async t => {
  const empty = seal(key, 'here', new Uint8Array(), random)
  t.equal(open(key, 'here', empty)?.length, 0)
})
