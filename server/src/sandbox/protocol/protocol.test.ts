import fc from 'fast-check'
import t from 'tap'
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts'
import { readReport } from './report.ts'

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

const thrown = { message: 'own words', stack: ['at f (formula.js:1:2)'] }
const read = (report: object, explains?: boolean) =>
  readReport(Buffer.from(JSON.stringify(report)), 'svc', explains)

t.test('what a formula said is passed on only if it is asked for', async t => {
  for (const report of [
    { kind: 'failed', reason: 'threw', detail: 'd' },
    { kind: 'unusable', detail: 'd' },
    { kind: 'refused', error: 'BadRequestError', errors: {} },
  ]) {
    t.same(read({ ...report, thrown }), report)
    t.same(read({ ...report, thrown }, true), { ...report, thrown })
    t.same(read(report, true), report)
  }
})

t.test('only texts are passed on, each with a bound', async t => {
  const stack = Array.from({ length: 50 }, () => 'x'.repeat(500))
  const outcome = read(
    { kind: 'unusable', detail: '', thrown: { message: 'x'.repeat(5000), stack, more: 1 } },
    true,
  )
  const shown = { message: 'x'.repeat(1000), stack: Array.from({ length: 10 }, () => 'x'.repeat(200)) }
  t.same(outcome, { kind: 'unusable', detail: '', thrown: shown })
  for (const odd of [{ message: { a: 1 }, stack: 'x' }, { stack: [null, 5] }]) {
    const { thrown } = read({ kind: 'unusable', detail: '', thrown: odd }, true) as never as {
      thrown: object
    }
    t.match(thrown, { message: '' })
    t.notMatch(JSON.stringify(thrown), /[15]|null/)
  }
  for (const odd of [1, 'x', null, []])
    t.notOk('thrown' in read({ kind: 'unusable', detail: '', thrown: odd }, true))
})
