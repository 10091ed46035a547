// Only in CI: it parses code that takes long.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { body, manualTime, openSandbox } from '../_fixture.ts'

/** Code that must be rewritten, because it contains a word that the compartment would refuse. */
const read = (n: number | string) => body(`return { raw: 'import( ${n}' + /^-->$/.test('-->') }`)
const answered = (n: number | string) => ({ kind: 'answered', raw: `import( ${n}true` })

/** Code with a text so long that parsing it takes a second. */
const long = `const text = 'import( ${'x'.repeat(6_000_000)}'; ${body('return { raw: text.length }')}`
const short = { sync: 150, async: 150 }
const noBackOff = { firstMs: 1, mostMs: 1, forgetMs: 1, tenants: 1 }

t.test('code that takes too long to parse fails, and is tried again the next time', async t => {
  const sandbox = openSandbox(t, { limits: { cpuMs: short, backOff: noBackOff } })
  for (let n = 0; n < 2; n++) t.match(await sandbox.formula(long), { kind: 'failed', reason: 'time' })
  t.match(await sandbox.formula(read(1)), answered(1))
  const patient = openSandbox(t, { limits: { cpuMs: { sync: 60_000, async: 60_000 } } })
  t.match(await patient.formula(long), { kind: 'answered' })
})

t.test('code that takes too much memory to parse fails', async t => {
  const cpuMs = { sync: 60_000, async: 60_000 }
  const sandbox = openSandbox(t, { limits: { cpuMs, heapMiB: 40, backOff: noBackOff } })
  const code = (times: number) => `/* import( */ () => { ${'f`a`;'.repeat(times)} }; ${read(2)}`
  t.match(await sandbox.formula(code(200_000)), { kind: 'failed', reason: 'memory' })
  t.match(await sandbox.formula(code(1)), answered(2))
})

t.test('a tenant with slow code does not delay others', async t => {
  const time = manualTime()
  const sandbox = openSandbox(t, { limits: { cpuMs: short } }, { time })
  const kinds: string[] = []
  const slow = Array.from({ length: 8 }, async () => {
    kinds.push((await sandbox.formula(long, { tenant: 'hostile' })).kind)
  })
  for (const tenant of ['b', 'c', 'd']) t.match(await sandbox.formula(read(1), { tenant }), answered(1))
  t.ok(kinds.length <= 2, 'only those with a slot have begun; the others wait for the back-off')
  // Those that begin after a back-off fail only when they have used their processor time, which is real.
  while (kinds.length < 8) {
    time.advance(60_000)
    await setImmediate()
  }
  await Promise.all(slow)
  t.ok(kinds.filter(kind => kind === 'busy').length >= 4, 'most of the rest waited too long')
})
