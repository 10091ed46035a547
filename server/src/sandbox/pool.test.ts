// In a process of its own: it looks for whatever processes a server leaves behind.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import t from 'tap'
import { body, manualTime, openSandbox } from './_fixture.ts'
import type { Outcome, ServiceTransport } from './sandbox.ts'

const one = body('return { raw: 1 }')
const asks = body(`await req.svc.tokens.get('slow', { maxRetries: 0 }); return { raw: 1 }`)
const hasProc = existsSync('/proc/self/stat')

/** Process ids of runners that this process started, itself or by a process that waits for them. */
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

/** Answers when it is told to. */
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

t.test('while a hostile tenant keeps its share busy, the others go on', async t => {
  const sandbox = openSandbox(t, { limits: { slots: 2, slotsPerTenant: 1 } })
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

t.test('a queue that is full says so, and so does one in which the wait is over', async t => {
  const time = manualTime()
  const limits = { slots: 1, slotsPerTenant: 1, queuePerTenant: 1, waitMs: 10_000 }
  const sandbox = openSandbox(t, { limits }, { time })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const second = sandbox.formula(one, { timeoutMs: 300 })
  t.same(await sandbox.formula(one), { kind: 'busy' }, 'one waits, and no more may')
  time.advance(9_999)
  const other = sandbox.formula(one, { tenant: 'tenant-b' })
  time.advance(1)
  t.same(await second, { kind: 'busy' }, 'the wait has its own bound, whatever time the formula has')
  open()
  t.match(await first, { kind: 'answered' })
  t.match(await other, { kind: 'answered' }, 'who came later waits on')
  t.match(await sandbox.formula(one), { kind: 'answered' }, 'and there is room again')
})

t.test('the time of a formula begins when it does', async t => {
  const sandbox = openSandbox(t, { limits: { slots: 1, slotsPerTenant: 1 } })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const second = sandbox.formula(one, { timeoutMs: 1_000 })
  const begun = performance.now()
  while (performance.now() - begun < 1_100) await new Promise(resolve => setImmediate(resolve))
  open()
  t.match([await first, await second], [{ kind: 'answered' }, { kind: 'answered' }])
})

t.test('what waits is bounded in bytes', async t => {
  const limits = { slots: 1, slotsPerTenant: 1, queueBytes: 3_000, queueBytesPerTenant: 2_000 }
  const sandbox = openSandbox(t, { limits })
  const { svc, open, arrived } = gate()
  const first = sandbox.formula(asks, { svc })
  await arrived()
  const wait = (tenant: string, length: number) =>
    sandbox.formula(one, { tenant, args: 'x'.repeat(length) }).then(({ kind }) => kind)
  const large = wait('tenant-a', 5_000)
  t.equal(await wait('tenant-a', 10), 'busy', 'one that is alone may be larger; another has no room')
  t.equal(await wait('tenant-b', 10), 'busy', 'nor has that of another tenant')
  open()
  await first
  t.equal(await large, 'answered')
  t.equal(await wait('tenant-a', 10), 'answered')
})

t.test('long work waits apart from short', async t => {
  const sandbox = openSandbox(t, { limits: { slots: 1, slotsPerTenant: 1 } })
  const { svc, open, arrived } = gate()
  const long = sandbox.formula(asks, { svc, lane: 'async' })
  await arrived()
  t.match(await sandbox.formula(one), { kind: 'answered' })
  open()
  t.match(await long, { kind: 'answered' })
})

t.test('a formula that calls a formula never waits for its own slot', async t => {
  const sandbox = openSandbox(t, { limits: { slots: 1, slotsPerTenant: 1, depth: 2 } })
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

t.test('a process serves one tenant, many times, and no other', async t => {
  const sandbox = openSandbox(t, { limits: { spares: 1, runsPerProcess: 3 } })
  for (let n = 0; n < 2; n++) await sandbox.raw(one, { tenant: 'a' })
  t.same(sandbox.counts(), { alive: 2, started: 2, ended: 0 }, 'one of the tenant, one spare')
  await sandbox.raw(one, { tenant: 'a' })
  t.equal(sandbox.counts().started, 2)
  await sandbox.raw(one, { tenant: 'b' })
  t.equal(sandbox.counts().started, 3, 'another tenant has another')
  await sandbox.raw(one, { tenant: 'a' })
  t.equal(sandbox.counts().started, 4, 'after three invocations the first was replaced')
})

t.test('a process is ended by what it costs, and its tenant is served on', async t => {
  const sandbox = openSandbox(t)
  await sandbox.raw(one)
  t.match(await sandbox.formula(body('for (;;);'), { timeoutMs: 300 }), { reason: 'time' })
  t.equal(sandbox.counts().ended, 1)
  t.match(await sandbox.formula(one), { kind: 'answered' })
})

t.test('a process has nothing of ours', { skip: !hasProc }, async t => {
  process.env.SURROGATE_TEST_CANARY = 'canary'
  t.teardown(() => delete process.env.SURROGATE_TEST_CANARY)
  const sandbox = openSandbox(t)
  await sandbox.raw(one)
  const isolation = sandbox.isolation()
  // Once they have started they come after what the server has to do; others are still on their way.
  const runners = runnersOfOurs().filter(pid => getPriority(Number(pid)) > getPriority())
  t.ok(runners.length >= 1)
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
    // Where there is no /dev/null, Node opens the root instead: its own, which is mounted over /sys.
    const foreign = files.filter(file => !/^(\/dev\/null|\/sys|anon_inode:.*|pipe:.*|socket:.*)$/.test(file))
    t.same(foreign, [], 'no file is open')
    t.equal(files.filter(file => file.startsWith('socket:')).length, 1, 'one socket, to us')
    if (isolation?.network === 'none') {
      t.not(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
    }
  }
  if (isolation?.user === 'own') t.equal(users.size, runners.length, 'each is a user of its own')
})

t.test('what outlives us is nothing', { skip: !hasProc }, async t => {
  const sandbox = openSandbox(t)
  await sandbox.raw(one)
  const all = Array.from({ length: 6 }, () => sandbox.formula(body('for (;;);')))
  await sandbox.close()
  for (const outcome of await Promise.all(all)) t.match(outcome, { kind: 'failed', reason: 'crash' })
  t.equal(sandbox.counts().alive, 0)
  t.same(runnersOfOurs(), [])
})
