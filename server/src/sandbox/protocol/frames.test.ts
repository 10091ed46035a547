import fc from 'fast-check'
import t from 'tap'
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts'

const limits = { headerBytes: 1_000, bodyBytes: 1_000 }

t.test('frames are decoded correctly wherever the stream is split', async t => {
  const frame = fc.record({
    header: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    body: fc.uint8Array({ maxLength: 200 }),
  })
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(({ header, body }) => encodeFrame(header, body)))
        const reader = new FrameReader({ headerBytes: 100_000, bodyBytes: 1_000 })
        const read: Frame[] = []
        for (let at = 0; at < bytes.length; ) {
          const end = at + cuts.next().value
          read.push(...reader.push(bytes.subarray(at, end)))
          at = end
        }
        return (
          read.length === frames.length &&
          frames.every(
            ({ header, body }, index) =>
              JSON.stringify(read[index]?.header) === JSON.stringify(header) &&
              Buffer.from(body).equals(read[index]?.body ?? Buffer.of()),
          )
        )
      },
    ),
  )
  t.pass('for every sequence')
})

t.test('a length is checked before anything is buffered', async t => {
  const prefix = (header: number, body: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32BE(header, 0)
    bytes.writeUInt32BE(body, 4)
    return bytes
  }
  t.throws(() => new FrameReader(limits).push(prefix(1_001, 0)), FrameError)
  t.throws(() => new FrameReader(limits).push(prefix(2, 1_001)), FrameError)
  t.throws(() => new FrameReader(limits).push(prefix(0xffffffff, 0xffffffff)), FrameError)
  t.same(new FrameReader(limits).push(prefix(1_000, 1_000)), [], 'an allowed length is accepted')
})

t.test('a header that is not an object is refused', async t => {
  for (const text of ['', '[]', 'null', '1', '{', '{}x', '['.repeat(1_000)]) {
    const bytes = Buffer.alloc(8 + text.length)
    bytes.writeUInt32BE(text.length, 0)
    bytes.write(text, 8)
    t.throws(() => new FrameReader(limits).push(bytes), FrameError, text.slice(0, 10))
  }
})
