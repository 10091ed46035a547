import t from 'tap'
import { body, manualTime, openSandbox } from './_fixture.ts'

/** Code that must be prepared, because it contains a word that the compartment would refuse. */
const read = (n: number | string) => body(`return { raw: 'import( ${n}' }`)
const prepared = (n: number | string) => ({ kind: 'answered', raw: `import( ${n}` })

/**
 * A replacement for the program that prepares code. It loops forever on text with the word `slow`, never answers
 * text with the word `waits`, and exits on text with the word `dies`. Else it returns the number of texts so far.
 */
const reader = Buffer.from(`
  const { Socket } = require('node:net')
  const socket = new Socket({ fd: 3, readable: true, writable: true })
  const say = (header, text = '') => {
    const [head, bytes] = [Buffer.from(JSON.stringify(header)), Buffer.from(text)]
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(head.length, 0)
    prefix.writeUInt32BE(bytes.length, 4)
    socket.write(Buffer.concat([prefix, head, bytes]))
  }
  let count = 0
  let received = Buffer.alloc(0)
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 8) {
      const [head, length] = [received.readUInt32BE(0), received.readUInt32BE(4)]
      if (received.length < 8 + head + length) return
      const { run } = JSON.parse(received.toString('utf8', 8, 8 + head))
      const code = received.toString('utf8', 8 + head, 8 + head + length)
      received = received.subarray(8 + head + length)
      count++
      if (code.includes('dies')) process.exit(0)
      if (code.includes('slow')) for (;;);
      if (code.includes('waits')) continue // and never responds
      say({ type: 'prepared', run, ok: true }, 'module.exports = () => ({ raw: ' + count + ' })')
    }
  })
  say({ type: 'ready' })
`)
const counting = { programs: { prepare: reader } }

t.test('code requested several times is prepared once', async t => {
  const sandbox = openSandbox(t, { limits: { preparers: 1 } }, counting)
  const ask = (n: number, tenant: string) => sandbox.raw(`import( ${n}`, { tenant })
  const all = [1, 2, 1, 1].flatMap(n => ['a', 'b', 'c'].map(tenant => ask(n, tenant)))
  t.same([...new Set(await Promise.all(all))].sort(), [1, 2])
  t.equal(await ask(3, 'a'), 3, 'twelve requests, and two texts prepared')
})

t.test('code that takes too long fails, and is tried again the next time', async t => {
  const sandbox = openSandbox(t, { limits: { prepareMs: 300, backOff: noBackOff } }, counting)
  const detail = 'the code takes too long to parse'
  for (let n = 0; n < 2; n++) {
    t.same(await sandbox.formula('import( slow'), { kind: 'failed', reason: 'time', detail })
  }
  t.equal(await sandbox.raw('import('), 1, 'the next text is prepared by a new process')
})

t.test('results are cached', async t => {
  const sandbox = openSandbox(t)
  for (let n = 0; n < 2; n++) {
    t.match(await sandbox.formula('/* import( */ }'), { kind: 'unusable', detail: /\(1:14\)/ })
    t.match(await sandbox.formula(read(1)), prepared(1))
  }
})

const noBackOff = { firstMs: 1, mostMs: 1, forgetMs: 1, tenants: 1 }

t.test('without processor time the outcome is busy, after a crash it is not', async t => {
  const limits = { prepareMs: 100, prepareWithinMs: 1_000, backOff: noBackOff }
  const sandbox = openSandbox(t, { limits }, counting)
  const hasUsage = process.platform === 'linux'
  t.match(await sandbox.formula('import( waits'), hasUsage ? { kind: 'busy' } : { reason: 'time' })
  t.match(await sandbox.formula('import( dies'), { kind: 'failed', reason: 'crash' })
  t.match(await sandbox.formula('import('), { kind: 'answered' })
})

t.test('a tenant with slow code does not delay others', async t => {
  const time = manualTime()
  const limits = { prepareMs: 400, preparers: 1 }
  const sandbox = openSandbox(t, { limits }, { ...counting, time })
  let failed = 0
  const slow = Array.from({ length: 60 }, async (_, n) => {
    const { kind } = await sandbox.formula(`import( slow ${n}`, { tenant: 'hostile' })
    failed++
    return kind
  })
  const others = ['b', 'c', 'd'].map((tenant, n) => sandbox.formula(`import( ${n}`, { tenant }))
  for (const outcome of await Promise.all(others)) t.match(outcome, { kind: 'answered' })
  t.equal(failed, 1, 'one text of the sixty was first')
  time.advance(100)
  t.match(await sandbox.formula('import( 3', { tenant: 'b' }), { kind: 'answered' })
  t.ok(failed <= 2, 'one more was before the next')
  time.advance(60_000)
  const kinds = await Promise.all(slow)
  t.ok(kinds.filter(kind => kind === 'busy').length >= 57, 'the rest waited too long, and none was prepared')
  t.notOk(kinds.includes('unusable'))
})

t.test('code that nobody waits for any more is not prepared', async t => {
  const time = manualTime()
  const sandbox = openSandbox(t, { limits: { prepareMs: 1_000, preparers: 1 } }, { ...counting, time })
  t.equal(await sandbox.raw('import( first', { tenant: 'a' }), 1)
  const slow = sandbox.formula('import( slow', { tenant: 'a' })
  const dropped = ['b', 'c'].map(tenant => sandbox.formula('import( dropped', { tenant }))
  time.advance(30_000)
  const kept = sandbox.raw('import( kept', { tenant: 'b' })
  time.advance(30_000)
  for (const outcome of await Promise.all([slow, ...dropped])) t.same(outcome, { kind: 'busy' })
  t.equal(await kept, 1, 'the first text of the process after the one that was ended')
})
