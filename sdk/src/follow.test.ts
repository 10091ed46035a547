import t from 'tap'
import { failure, fakeClient, json, problem } from '../testing/fakes.ts'
import { ConnectionError } from './index.ts'
import { linesOf } from './lines.ts'
import { followLog } from './resources/logs.ts'

const entry = (id: string) => ({ id, created_at: `2030-01-01T00:00:00.00000${id}Z` })
const position = (id: string) => ({ after: entry(id).created_at })

/** A response with these lines. It ends, breaks off, or stays open. */
function stream(
  lines: readonly object[],
  how: 'ends' | 'breaks' | 'stays' = 'ends',
  cancel = () => {},
): Response {
  const bytes = new TextEncoder().encode(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      if (how === 'ends') controller.close()
    },
    // Called when the lines are read.
    pull(controller) {
      if (how === 'breaks') controller.error(new Error('lost'))
    },
    cancel,
  })
  return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson' } })
}

t.test('the log is followed behind the last line when a stream ends or breaks', async t => {
  const { send, waits, sent, slept } = fakeClient([
    () => stream([position('0')]),
    () => stream([entry('1'), entry('2'), position('2')], 'breaks'),
    () => problem(503, 'unavailable'),
    () => stream([entry('3')]),
    () => problem(403, 'permission_denied'),
  ])
  const seen: object[] = []
  const error = await failure(
    (async () => {
      for await (const line of followLog(send, { entity_type: 'token' }, {}, waits)) seen.push(line)
    })(),
  )
  t.equal(error.status, 403)
  t.same(seen, [position('0'), entry('1'), entry('2'), position('2'), entry('3')])
  t.same(slept, [1_000, 1_000, 500, 1_000], 'before each stream but the first, and before the retry')
  const queries = sent.map(({ query }) => Object.fromEntries(new URLSearchParams(query)))
  t.same(
    queries.map(({ after }) => after),
    [undefined, ...['0', '2', '2', '3'].map(id => entry(id).created_at)],
  )
  for (const query of queries) t.match(query, { follow: 'true', entity_type: 'token' })
})

t.test('a stream without a line is an error, as another one would end, too', async t => {
  const { send, waits, sent } = fakeClient(() => stream([]))
  const error = await failure(followLog(send, {}, {}, waits).next())
  t.ok(error instanceof ConnectionError)
  t.match(error.message, /the log had no line/)
  t.equal(sent.length, 1)
})

t.test('a reader that stops, or a signal, ends the stream', async t => {
  let cancelled = 0
  const { surrogate } = fakeClient(() => stream([entry('1')], 'stays', () => cancelled++))
  for await (const { id } of surrogate.logs.follow()) {
    t.equal(id, '1')
    break
  }
  t.equal(cancelled, 1)
  const controller = new AbortController()
  const log = surrogate.logs.follow({}, { signal: controller.signal })
  await log.next()
  const pending = failure<Error>(log.next())
  controller.abort(new Error('enough'))
  t.equal((await pending).message, 'enough')
  t.equal(cancelled, 2)
})

t.test('lines are whole, however their bytes arrive, and end with silence', async t => {
  const bytes = new TextEncoder().encode('{"a":"ä"}\n{"b":"😀"}\ncut')
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      },
    })
  const lines: string[] = []
  for await (const line of linesOf(body(), undefined, 1)) lines.push(line)
  t.same(lines, ['{"a":"ä"}', '{"b":"😀"}'])
})

t.test('a page of the log is no stream', async t => {
  const { surrogate, sent } = fakeClient(() => json({ pagination: { total_pages: 1 }, data: [entry('1')] }))
  t.same((await surrogate.logs.list({ after: '2030-01-01T00:00:00Z' })).data, [entry('1')])
  t.equal(sent[0]?.query, '?after=2030-01-01T00%3A00%3A00Z')
})
