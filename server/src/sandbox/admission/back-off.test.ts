import t from 'tap'
import { body, manualTime, openSandbox } from '../_fixture.ts'
import { BackOff } from './back-off.ts'

const limits = { firstMs: 100, mostMs: 1_000, forgetMs: 60_000, tenants: 3 }

function opened(given: Partial<typeof limits> = {}) {
  const time = manualTime()
  let over = 0
  const backOff = new BackOff({ ...limits, ...given }, time, () => over++)
  return { time, backOff, over: () => over }
}

t.test('each failure doubles the wait, up to a limit', async t => {
  const { backOff, over, time } = opened()
  t.equal(backOff.waitMs('a'), 0, 'a tenant without failures does not wait')
  const waits = Array.from({ length: 6 }, () => {
    backOff.recordFailure('a')
    return backOff.waitMs('a')
  })
  t.same(waits, [100, 200, 400, 800, 1_000, 1_000])
  t.equal(backOff.waitMs('b'), 0, 'nor do other tenants')
  time.advance(999)
  t.same([backOff.waitMs('a'), over()], [1, 0])
  time.advance(1)
  t.same([backOff.waitMs('a'), over()], [0, 1], 'the end of the wait is reported once')
})

t.test('a tenant that got a process waits as long again for the next', async t => {
  const { backOff, time } = opened()
  for (const _ of [1, 2, 3]) backOff.recordFailure('a')
  time.advance(400)
  t.equal(backOff.waitMs('a'), 0)
  backOff.recordStart('a')
  t.equal(backOff.waitMs('a'), 400)
  backOff.recordStart('b')
  t.equal(backOff.waitMs('b'), 0, 'others do not')
})

t.test('failures are forgotten after a while', async t => {
  const { backOff, time } = opened()
  for (const _ of [1, 2, 3, 4]) backOff.recordFailure('a')
  time.advance(59_999)
  backOff.recordStart('a')
  t.equal(backOff.waitMs('a'), 800)
  time.advance(800)
  backOff.recordStart('a')
  t.equal(backOff.waitMs('a'), 0, 'a minute after the last failure')
  for (const _ of [1, 2, 3]) backOff.recordFailure('b')
  time.advance(60_000)
  backOff.recordFailure('b')
  t.equal(backOff.waitMs('b'), 100, 'the next failure counts as the first')
})

t.test('the numbers of tenants and levels are bounded', async t => {
  const { backOff, time } = opened()
  for (let n = 0; n < 100; n++) backOff.recordFailure(`tenant ${n}`)
  t.equal(time.timers, 3)
  for (let n = 0; n < 5_000; n++) backOff.recordFailure('a')
  t.equal(backOff.waitMs('a'), 1_000)
  t.equal(time.timers, 3)
  backOff.close()
  t.equal(time.timers, 0)
})

const one = body('return { raw: 1 }')
const loop = body('for (;;);')
const overflow = body('const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))')

t.test('a tenant whose process was ended waits for the next, and other tenants do not', async t => {
  const time = manualTime()
  const sandbox = openSandbox(t, {}, { time })
  // Harmless code gets the time that a slow machine needs.
  const hostile = (code: string) =>
    sandbox.formula(code, { tenant: 'hostile', ...(code === one ? {} : { timeoutMs: 300 }) })
  const started = () => sandbox.counts().started
  t.match(await hostile(loop), { reason: 'time' })
  let isDone = false
  const next = hostile(one).finally(() => {
    isDone = true
  })
  for (let n = 0; n < 3; n++) t.match(await sandbox.formula(one, { tenant: 'b' }), { kind: 'answered' })
  t.notOk(isDone, 'it waits while others are served')
  const before = started()
  time.advance(100)
  t.match(await next, { kind: 'answered' })
  t.match(await hostile(one), { kind: 'answered' }, 'with the process that it still has, it does not wait')
  t.ok(started() <= before + 1)

  for (const code of [loop, overflow, loop]) {
    const run = hostile(code)
    time.advance(3_000)
    t.match(await run, { kind: 'failed' })
  }
  t.same(
    await sandbox.formula(one, { tenant: 'hostile', lane: 'async' }),
    { kind: 'busy' },
    'async work is put back at once',
  )
  const late = hostile(one)
  await sandbox.formula(one, { tenant: 'b' })
  time.advance(3_000)
  t.match(await late, { kind: 'answered' })
})

t.test('an invocation is busy if the back-off is longer than its wait', async t => {
  const time = manualTime()
  const backOff = { firstMs: 20_000, mostMs: 20_000, forgetMs: 60_000, tenants: 10 }
  const sandbox = openSandbox(t, { limits: { backOff, waitMs: 10_000 } }, { time })
  t.match(await sandbox.formula(loop, { timeoutMs: 300 }), { reason: 'time' })
  const next = sandbox.formula(one)
  t.match(await sandbox.formula(one, { tenant: 'b' }), { kind: 'answered' })
  time.advance(10_000)
  t.same(await next, { kind: 'busy' })
})
