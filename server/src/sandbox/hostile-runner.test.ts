// Only in CI: it replaces the process of formulas by hostile ones.
// In a process of its own: it takes long.
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'

/**
 * A formula that escaped from SES controls the messages of its process. Here the process runs a program that sends
 * hostile messages: the host must end the process, report a crash to the caller, and keep working.
 */
const prelude = `
  const { Socket } = require('node:net')
  const socket = new Socket({ fd: 1, readable: true, writable: true })
  const frame = (header, body = '') => {
    const [head, bytes] = [Buffer.from(typeof header === 'string' ? header : JSON.stringify(header)), Buffer.from(body)]
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(head.length, 0)
    prefix.writeUInt32BE(bytes.length, 4)
    return Buffer.concat([prefix, head, bytes])
  }
  const say = (header, body) => socket.write(frame(header, body))
  const raw = (...bytes) => socket.write(Buffer.from(bytes))
  const answer = { type: 'done', run: 1 }, good = '{"kind":"answered","raw":1}'
  const idle = { type: 'idle', run: 1, unfit: false }
  const call = { type: 'call', run: 1, call: 1, kind: 'svc', method: 'GET', target: '/tokens', headers: [], hasBody: false }
  const line = { type: 'console', run: 1, level: 'log', text: 'x' }
`
const onRun = (text: string) =>
  Buffer.from(`${prelude} say({ type: 'ready' }); socket.once('data', () => { ${text} })`)
const crash = { kind: 'failed', reason: 'crash' }

const modes: Readonly<Record<string, string>> = {
  'bytes that are not a frame': `raw(...Array(64).fill(255))`,
  'a header longer than allowed': `raw(0, 2, 0, 0, 0, 0, 0, 0)`,
  'a body longer than allowed': `raw(0, 0, 0, 2, 127, 255, 255, 255)`,
  'a header that is not JSON': `say('{')`,
  'a header that is a list': `say('[]')`,
  'an unknown type': `say({ type: 'run', run: 1 })`,
  'ready a second time': `say({ type: 'ready' })`,
  'an answer of another invocation': `say({ type: 'done', run: 2 }, good)`,
  'an answer of no invocation': `say({ type: 'done' }, good)`,
  'an end before the answer': `say(idle)`,
  'an answer that is not JSON': `say(answer, '{"kind":')`,
  'an answer that is text': `say(answer, '"answered"')`,
  'an answer of an unknown kind': `say(answer, '{"kind":"approved"}')`,
  'an answer with a reason of the host': `say(answer, '{"kind":"failed","reason":"time","detail":"x"}')`,
  'a refusal of an unknown class': `say(answer, '{"kind":"refused","error":"Error","errors":{}}')`,
  'a refusal whose messages are not valid': `say(answer, '{"kind":"refused","error":"BadRequestError","errors":{"a":1}}')`,
  'an answer with a prototype': `say(answer, '{"kind":"answered","raw":[{"__proto__":{"a":1}}]}')`,
  'an answer with an escaped prototype': `say(answer, '{"kind":"answered","raw":{"__pro\\\\u0074o__":1}}')`,
  'a refusal with a prototype': `say(answer, '{"kind":"refused","error":"BadRequestError","errors":{"__proto__":["a"]}}')`,
  'an answer nested 65 deep': `say(answer, '{"kind":"answered","raw":' + '['.repeat(65) + ']'.repeat(65) + '}')`,
  'an answer nested a million deep': `say(answer, '['.repeat(1e6))`,
  'a line of an unknown level': `say({ ...line, level: 'fatal' })`,
  'a line that is not text': `say({ ...line, text: {} })`,
  'a line that is too long': `say({ ...line, text: 'x'.repeat(5000) })`,
  'more lines than allowed': `for (let i = 0; i < 101; i++) say(line)`,
  'a request out of turn': `say({ ...call, call: 2 })`,
  'a request twice': `say(call); say(call)`,
  'a request of an unknown kind': `say({ ...call, kind: 'file' })`,
  'a request with headers that are not valid': `say({ ...call, headers: [['a']] })`,
  'a request with a header that splits': `say({ ...call, headers: [['x-a', 'b\\r\\nc: d']] })`,
  'a request with an unknown way to redirect': `say({ ...call, kind: 'fetch', redirect: 'anywhere' })`,
  'more frames than allowed': `for (let i = 1; i < 1100; i++) say({ ...call, call: i, method: 'TRACE' })`,
  'nothing, and an end': `process.exit(0)`,
  'half a frame, and an end': `socket.end(frame(answer, good).subarray(0, 12))`,
}

for (const [name, says] of Object.entries(modes)) {
  t.test(`a process that sends ${name}`, async t => {
    const asked: string[] = []
    const sandbox = openSandbox(t, {}, { programs: { runner: onRun(says) } })
    const svc = async ({ path }: { path: string }) => {
      asked.push(path)
      return { status: 200, headers: {}, body: '{}' }
    }
    t.match(await sandbox.formula(body('return { raw: 1 }'), { svc }), crash)
    t.equal(sandbox.counts().alive, 0)
    t.ok(asked.length <= 1)
  })
}

t.test('control: a process that follows the protocol', async t => {
  const sandbox = openSandbox(
    t,
    {},
    { programs: { runner: onRun('say(line); say(answer, good); say(idle)') } },
  )
  t.same(await sandbox.formula(''), { kind: 'answered', raw: 1 })
  t.equal(sandbox.lines.length, 1)
})

t.test('a response chosen by a process has the same limits as one chosen by a formula', async t => {
  const responses: readonly [headers: object, kind: string][] = [
    [{ 'x-shop': 'a' }, 'custom'],
    [{ 'x-accel-redirect': '/etc/passwd' }, 'failed'],
    [{ 'X-Sendfile': '/etc/passwd' }, 'failed'],
    [{ 'content-type': 'text/html' }, 'failed'],
    [{ 'x-a': 'b\r\nset-cookie: c' }, 'failed'],
    [{ 'x-a': 'b'.repeat(6_000) }, 'failed'],
    [{ 'x-acme-trace-id': 'forged' }, 'failed'],
    [{ 'set-cookie': 'a=b' }, 'failed'],
  ]
  for (const [headers, kind] of responses) {
    const report = JSON.stringify({ kind: 'custom', response: { status: 200, headers, body: 1 } })
    const runner = onRun(`say(answer, ${JSON.stringify(report)}); say(idle)`)
    const sandbox = openSandbox(t, { headerPrefix: 'X-Acme' }, { programs: { runner } })
    t.match(await sandbox.formula(''), { kind }, JSON.stringify(headers).slice(0, 60))
  }
})

const after: Readonly<Record<string, string>> = {
  'a second answer': `say(answer, good); say(answer, '{"kind":"answered","raw":2}')`,
  'a request after the answer': `say(answer, good); say(call)`,
  'nothing after the answer': `say(answer, good)`,
  'an end of another invocation': `say(answer, good); say({ ...idle, run: 2 })`,
}
for (const [name, says] of Object.entries(after)) {
  t.test(`a process that sends ${name} has answered, and is ended`, async t => {
    const sandbox = openSandbox(t, {}, { programs: { runner: onRun(says) } })
    let asked = 0
    const svc = async () => {
      asked++
      return { status: 200, headers: {} }
    }
    t.same(await sandbox.formula('', { svc }), { kind: 'answered', raw: 1 })
    t.same(await sandbox.formula('', { svc }), { kind: 'answered', raw: 1 }, 'in another process')
    t.equal(sandbox.counts().started, 2)
    t.equal(asked, 0)
  })
}

t.test('a process cannot choose its identity', async t => {
  const forged = `say({ ...call, target: '//evil.test/tokens', headers: [['svc-api-key', 'k'], ['authorization', 'k'], ['content-type', 'a/b']] });
    say({ ...call, call: 2, target: '/tokens?a=b', headers: [['svc-api-key', 'k'], ['cookie', 'k'], ['content-type', 'a/b']] });
    say({ ...call, call: 3, target: 'http://evil.test/' }); say({ ...call, call: 4, kind: 'fetch', target: 'http://evil.test/' });
    say({ ...call, call: 5, target: '/a', method: 'CONNECT' })
    socket.on('data', () => { say(answer, good) })`
  const sandbox = openSandbox(t, {}, { programs: { runner: onRun(forged) } })
  const asked: object[] = []
  const svc = async ({ signal: _, ...request }: { readonly signal?: AbortSignal | undefined }) => {
    asked.push(request)
    return { status: 200, headers: {} }
  }
  await sandbox.formula('', { svc })
  t.same(asked, [{ method: 'GET', path: '/tokens?a=b', headers: { 'content-type': 'a/b' } }])
})

t.test('a process that does not start in time is busy, one that starts otherwise is a crash', async t => {
  const notStarted = { kind: 'failed', reason: 'crash', detail: 'no process could be started' }
  for (const [program, startMs, outcome] of [
    ['setInterval(() => {}, 1000)', 1_000, { kind: 'busy' }],
    // A busy machine may take long to end a process.
    ['process.exit(0)', 60_000, notStarted],
    [`${prelude} say(line)`, 60_000, notStarted],
  ] as const) {
    const programs = { runner: Buffer.from(program) }
    const sandbox = openSandbox(t, { limits: { startMs, waitMs: 60_000 } }, { programs })
    t.same(await sandbox.formula(''), outcome)
  }
})

t.test('a process that does not read responses gets a limited number', async t => {
  const asks = `socket.pause(); let n = 0; setInterval(() => { if (n < 200) say({ ...call, call: ++n }) }, 2)`
  const sandbox = openSandbox(t, {}, { programs: { runner: onRun(asks) } })
  let [asked, answered] = [0, 0]
  const body = Buffer.alloc(1_000_000)
  const svc = async () => {
    asked++
    await new Promise(resolve => setImmediate(resolve))
    answered++
    return { status: 200, headers: {}, body }
  }
  const outcome = await sandbox.formula('', { svc, timeoutMs: 2_000 })
  t.match(outcome, { kind: 'failed', reason: 'time' })
  t.ok(asked >= 20 && asked <= 24, `${asked} requests, ${answered} of them answered`)
})
