import t from 'tap'
import { systemRandom } from '../base/random.ts'
import { boxesPerSalt, keyLength, open, Sealer, saltOf, seal } from './envelope.ts'

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
  for (const length of [0, 10, box.length - 1])
    t.equal(open(key, 'here', box.subarray(0, length)), undefined, `${length} bytes`)
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

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const nonceOf = (box: Uint8Array) => hex(box.subarray(21, 33))

t.test('boxes of a sealer open with the key alone, and a sealer opens those of others', async t => {
  const sealer = new Sealer(key, random)
  const box = sealer.seal('token|tenant|id', plain)
  t.same(Buffer.from(open(key, 'token|tenant|id', box) ?? []), plain)
  for (const other of [seal(key, 'here', plain, random), new Sealer(key, random).seal('here', plain)]) {
    t.same(Buffer.from(sealer.open('here', other) ?? []), plain)
    t.same(Buffer.from(sealer.open('here', other) ?? []), plain, 'and again, with the subkey it remembers')
  }
})

t.test('a salt is used for a limited number of boxes, each with its own nonce', async t => {
  const sealer = new Sealer(key, random)
  const boxes = Array.from({ length: 2 * boxesPerSalt + 1 }, () => sealer.seal('here', plain))
  const counts = new Map<string, number>()
  for (const box of boxes) counts.set(hex(saltOf(box)), (counts.get(hex(saltOf(box))) ?? 0) + 1)
  t.same([...counts.values()], [boxesPerSalt, boxesPerSalt, 1])
  t.equal(new Set(boxes.map(nonceOf)).size, boxes.length)
})

t.test('two sealers of one key use different salts', async t => {
  const [one, other] = [new Sealer(key, random), new Sealer(key, random)].map(sealer =>
    hex(saltOf(sealer.seal('here', plain))),
  )
  t.not(one, other)
})

t.test('a box with any byte changed does not open, whatever is remembered', async t => {
  const sealer = new Sealer(key, random)
  const box = sealer.seal('here', plain)
  t.same(Buffer.from(sealer.open('here', box) ?? []), plain)
  t.equal(sealer.open('there', box), undefined)
  for (let at = 0; at < box.length; at++) {
    const changed = Uint8Array.from(box)
    changed[at] = (changed[at] ?? 0) ^ 1
    t.equal(sealer.open('here', changed), undefined, `byte ${at}`)
  }
  t.equal(sealer.open('here', box.subarray(0, box.length - 1)), undefined)
  t.equal(new Sealer({ ...key, version: 2 }, random).open('here', box), undefined)
})

t.test('changing a box does not change the cached subkey', async t => {
  const sealer = new Sealer(key, random)
  const box = sealer.seal('here', plain)
  const copy = Uint8Array.from(box)
  sealer.open('here', box)
  box.fill(0)
  t.same(Buffer.from(sealer.open('here', copy) ?? []), plain)
})

t.test('boxes of more salts than are cached open', async t => {
  const sealer = new Sealer(key, random)
  const boxes = Array.from({ length: 300 }, () => seal(key, 'here', plain, random))
  for (let round = 0; round < 2; round++)
    t.ok(boxes.every(box => Buffer.from(sealer.open('here', box) ?? []).equals(plain)))
})
