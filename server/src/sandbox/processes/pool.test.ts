// In a process of its own: it looks for processes that a server leaves behind.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { body, manualTime, openSandbox } from '../_fixture.ts'
import type { Outcome, ServiceTransport } from '../sandbox.ts'

const one = body('return { raw: 1 }')
const asks = body(`await req.svc.tokens.get('slow', { maxRetries: 0 }); return { raw: 1 }`)
const hasProc = existsSync('/proc/self/stat')

/** Returns the process ids of all runners that this process started, directly or indirectly. */
function runnersOfOurs(): string[] {
  const parentOf = (pid: string | undefined) =>
    readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]
  return readdirSync('/proc').filter(pid => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      if (words[0] !== process.execPath || !words.includes('--max-semi-space-size=4')) return false
      const parent = parentOf(pid)
      return parent === `${process.pid}` || parentOf(parent) === `${process.pid}`
    } catch {
      return false
    }
  })
}

/** A formula that waits until the test lets it continue. */
function gate() {
  const waiting: (() => void)[] = []
  const arrivals: (() => void)[] = []
  const svc: ServiceTransport = async () => {
    await new Promise<void>(resolve => {
      waiting.push(resolve)
      arrivals.shift()?.()
    })
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }
  }
  return {
    svc,
    arrived: () =>
      waiting.length > 0 ? Promise.resolve() : new Promise<void>(resolve => arrivals.push(resolve)),
    open: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

t.test('while a hostile tenant uses its whole share, other tenants are served', async t => {
  const sandbox = openSandbox(t, { limits: { running: { total: 2, tenant: 1 } } })
  const { svc, open, arrived } = gate()
  const order: string[] = []
  const note = (name: string) => (outcome: Outcome) => void order.push(`${name} ${outcome.kind}`)
  const hostile = Array.from({ length: 5 }, () =>
    sandbox.formula(asks, { tenant: 'hostile', svc }).then(note('hostile')),
  )
  await arrived()
  for (const tenant of ['b', 'c', 'b']) await sandbox.formula(one, { tenant }).then(note(tenant))
  t.same(order, ['b answered', 'c answered', 'b answered'])
  const opening = setInterval(open, 5)
  await Promise.all(hostile)
  clearInterval(opening)
  t.equal(order.length, 8)
})

t.test('an invocation is busy if the queue is full or its wait has ended', async t => {
  const time = manualTime()
  const limits = { running: { total: 1, tenant: 1 }, waiting: { total: 512, tenant: 1 }, waitMs: 10_000 }
  const sandbox = openSandbox(t, { limits }, { time })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const second = sandbox.formula(one, { timeoutMs: 300 })
  t.same(await sandbox.formula(one), { kind: 'busy' }, 'only one may wait')
  time.advance(9_999)
  const other = sandbox.formula(one, { tenant: 'tenant-b' })
  time.advance(1)
  t.same(
    await second,
    { kind: 'busy' },
    'the wait has its own limit, independent of the time limit of the formula',
  )
  open()
  t.match(await first, { kind: 'answered' })
  t.match(await other, { kind: 'answered' }, 'a later invocation keeps waiting')
  t.match(await sandbox.formula(one), { kind: 'answered' }, 'there is room again')
})

t.test('the time limit of a formula starts with the formula', async t => {
  const sandbox = openSandbox(t, { limits: { running: { total: 1, tenant: 1 } } })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const second = sandbox.formula(one, { timeoutMs: 1_000 })
  // Longer than that of the second, which waits.
  await wait(1_100)
  open()
  t.match([await first, await second], [{ kind: 'answered' }, { kind: 'answered' }])
})

t.test('the bytes of waiting invocations are limited', async t => {
  const limits = { running: { total: 1, tenant: 1 }, waitingBytes: { total: 3_000, tenant: 2_000 } }
  const sandbox = openSandbox(t, { limits })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const wait = (tenant: string, length: number) =>
    sandbox.formula(one, { tenant, args: 'x'.repeat(length) }).then(({ kind }) => kind)
  const large = wait('tenant-a', 5_000)
  t.equal(await wait('tenant-a', 10), 'busy', 'a single one may be larger; a second one has no room')
  t.equal(await wait('tenant-b', 10), 'busy', 'nor has one of another tenant')
  open()
  await first
  t.equal(await large, 'answered')
  t.equal(await wait('tenant-a', 10), 'answered')
})

t.test('async work waits in a separate queue', async t => {
  const sandbox = openSandbox(t, { limits: { running: { total: 1, tenant: 1 } } })
  const { svc, open, arrived } = gate()
  const long = sandbox.formula(asks, { svc, lane: 'async' })
  await arrived()
  t.match(await sandbox.formula(one), { kind: 'answered' })
  open()
  t.match(await long, { kind: 'answered' })
})

t.test('a formula that calls a formula never waits for its own slot', async t => {
  const sandbox = openSandbox(t, { limits: { running: { total: 1, tenant: 1 }, depth: 2 } })
  const outcomes: Outcome[] = []
  const svcAt =
    (depth: number): ServiceTransport =>
    async () => {
      const outcome = await sandbox.formula(asks, { depth, svc: svcAt(depth + 1) })
      outcomes.push(outcome)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }
    }
  t.match(await sandbox.formula(asks, { svc: svcAt(1) }), { kind: 'answered' })
  t.match(outcomes, [{ kind: 'failed', detail: /2 levels deep/ }, { kind: 'answered' }, { kind: 'answered' }])
})

t.test('a process serves only one tenant, many times', async t => {
  const sandbox = openSandbox(t, { limits: { spares: 1, runsPerProcess: 3 } })
  for (let n = 0; n < 2; n++) await sandbox.raw(one, { tenant: 'a' })
  t.same(
    sandbox.counts(),
    { alive: 2, started: 2, ended: 0, ends: {} },
    'one process of the tenant, one spare',
  )
  await sandbox.raw(one, { tenant: 'a' })
  t.equal(sandbox.counts().started, 2)
  await sandbox.raw(one, { tenant: 'b' })
  t.equal(sandbox.counts().started, 3, 'another tenant has another process')
  await sandbox.raw(one, { tenant: 'a' })
  t.equal(sandbox.counts().started, 4, 'the first process was replaced after three invocations')
})

t.test('a process that was started in advance is that of the next tenant without one', async t => {
  const sandbox = openSandbox(t)
  const started = () => sandbox.counts().started
  await sandbox.warm('a')
  await sandbox.warm('b')
  t.equal(started(), 1, 'one for both')
  await sandbox.raw(one, { tenant: 'a' })
  t.equal(started(), 1)
  await sandbox.warm('a')
  t.equal(started(), 1, 'none for a tenant that has one')
  await sandbox.warm('b')
  t.equal(started(), 2)
  await sandbox.raw(one, { tenant: 'b' })
  t.equal(started(), 2)
})

t.test('a process inherits nothing from the server', { skip: !hasProc }, async t => {
  process.env.SURROGATE_TEST_CANARY = 'canary'
  t.teardown(() => delete process.env.SURROGATE_TEST_CANARY)
  const sandbox = openSandbox(t)
  await sandbox.raw(one)
  await openSandbox(t).raw(one)
  const isolation = sandbox.isolation()
  // Started runners have a low priority; others may still be starting.
  const runners = runnersOfOurs().filter(pid => getPriority(Number(pid)) >= 10)
  t.ok(runners.length >= 2)
  const users = new Set<string>()
  for (const pid of runners) {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const user = /^Uid:\t(\d+)/m.exec(status)?.[1] ?? ''
    users.add(user)
    t.equal(/^NoNewPrivs:\t1/m.test(status), isolation?.noNewPrivileges)
    if (isolation?.user === 'own') t.not(user, `${process.getuid?.()}`)
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1')
    t.match(limits, /Max data size +335544320 /)
    t.match(limits, /Max file size +0 /)
    t.match(limits, /Max core file size +0 /)
    if (isolation?.user === 'own') t.match(limits, /Max processes +64 /)
    if (process.getuid?.() !== 0) continue
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').filter(Boolean)
    t.same(environment.map(entry => entry.split('=')[0]).sort(), ['LANG', 'LC_ALL', 'TZ'])
    const files = readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))
    // Without /dev/null, Node opens its root folder instead, which is mounted over /sys.
    const foreign = files.filter(file => !/^(\/dev\/null|\/sys|anon_inode:.*|pipe:.*|socket:.*)$/.test(file))
    t.same(foreign, [], 'no file is open')
    t.equal(files.filter(file => file.startsWith('socket:')).length, 1, 'one socket, to the server')
    if (isolation?.network === 'none') {
      t.not(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
    }
  }
  if (isolation?.user === 'own')
    t.equal(users.size, runners.length, 'each has a separate user, also those of two sandboxes')
})

t.test('no process outlives the server', { skip: !hasProc }, async t => {
  const sandbox = openSandbox(t, { limits: { spares: 1 } })
  await sandbox.raw(one)
  const all = Array.from({ length: 6 }, () => sandbox.formula(body('for (;;);')))
  await sandbox.close()
  for (const outcome of await Promise.all(all)) t.match(outcome, { kind: 'failed', reason: 'crash' })
  t.equal(sandbox.counts().alive, 0)
  t.same(runnersOfOurs(), [])
})
