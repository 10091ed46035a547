import t from 'tap'
import { body, openSandbox } from '../_fixture.ts'
import type { Outcome, ServiceTransport } from '../sandbox.ts'
import { defaultLimits, memoryShareMiB, mostProcesses } from '../sandbox-limits.ts'
import { MemoryShare, type ProcessShare } from './scheduler.ts'

const at = (tenant: string, lane: ProcessShare['lane'], depth: number): ProcessShare => ({
  tenant,
  lane,
  depth,
})

/** Takes shares until none is allowed, each for another tenant unless one is given. Returns their number. */
function fill(share: MemoryShare, lane: ProcessShare['lane'], depth: number, tenant?: string): number {
  for (let n = 0; ; n++) {
    const place = at(tenant ?? `tenant ${lane} ${depth} ${n}`, lane, depth)
    if (!share.allows(place)) return n
    share.take(place)
  }
}

t.test('there is always room for one more process at each deeper level', async t => {
  for (const processes of [1, 4, 5, 10, 38]) {
    const share = new MemoryShare({ processes, depth: 2 })
    const top = fill(share, 'sync', 0) + fill(share, 'async', 0)
    t.equal(top, Math.max(processes, 4) - 2)
    t.equal(fill(share, 'sync', 1), 1)
    t.equal(fill(share, 'sync', 2), 1)
    t.equal(fill(share, 'sync', 0), 0)
  }
})

t.test('neither async work nor one tenant takes all', async t => {
  const share = new MemoryShare({ processes: 12, depth: 2 })
  t.equal(fill(share, 'async', 0), 5, 'half of the ten')
  t.equal(fill(share, 'sync', 0, 'a'), 4, 'half of all, less the processes for nested formulas')
  t.equal(fill(share, 'sync', 0, 'b'), 1)
  const short = new MemoryShare({ processes: 12, depth: 2 })
  t.equal(fill(short, 'sync', 0), 9)
  t.equal(fill(short, 'async', 0), 1, 'sync work leaves one for async work')
})

t.test('a returned share is available again', async t => {
  const share = new MemoryShare({ processes: 4, depth: 2 })
  const place = at('a', 'sync', 0)
  for (let n = 0; n < 100; n++) {
    t.ok(share.allows(place))
    share.take(place)
    t.notOk(share.allows(at('b', 'sync', 0)))
    share.give(place)
  }
})

t.test('the share is half of the memory of the machine, or of a smaller container', async t => {
  t.equal(memoryShareMiB(2 ** 30), 512)
  t.equal(memoryShareMiB(0), memoryShareMiB(2 ** 64), '0 means no limit')
  const limits = (memoryMiB: number) => ({ ...defaultLimits(2), memoryMiB })
  t.equal(mostProcesses(limits(512)), 4, 'the minimum')
  t.equal(mostProcesses(limits(2_048)), 16)
})

const one = body('return { raw: 1 }')
const asks = body(`await req.svc.tokens.get('slow', { maxRetries: 0 }); return { raw: 1 }`)
const found = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }

t.test('there are never more processes than the memory allows, and every invocation gets one', async t => {
  // Room for six: more tenants than that each get one in turn.
  const limits = { memoryMiB: 6 * 128, idle: 100, running: { total: 100, tenant: 50 }, spares: 2 }
  const sandbox = openSandbox(t, { limits })
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, sandbox.counts().alive)
  }, 5)
  for (let round = 0; round < 2; round++) {
    const all = Array.from({ length: 9 }, (_, n) => sandbox.formula(one, { tenant: `tenant-${n}` }))
    for (const outcome of await Promise.all(all)) t.match(outcome, { kind: 'answered' })
  }
  clearInterval(watch)
  t.ok(most <= 6 && sandbox.counts().alive <= 6, `${most} at most`)
})

t.test('formulas that call formulas finish with the minimum of memory', async t => {
  const sandbox = openSandbox(t, { limits: { memoryMiB: 512, running: { total: 8, tenant: 8 }, spares: 1 } })
  const svcAt =
    (tenant: string, depth: number): ServiceTransport =>
    async () => {
      if (depth <= 2) await sandbox.formula(asks, { tenant, depth, svc: svcAt(tenant, depth + 1) })
      return found
    }
  const chains = ['a', 'b', 'a', 'c'].map(tenant => sandbox.formula(asks, { tenant, svc: svcAt(tenant, 1) }))
  const outcomes: Outcome[] = await Promise.all(chains)
  for (const outcome of outcomes) t.match(outcome, { kind: 'answered' })
  t.ok(sandbox.counts().alive <= 4)
})

t.test('if all together use too much memory, the largest is ended and the others continue', async t => {
  const fills = (mebibytes: number) =>
    body(
      `const a = new Uint8Array(${mebibytes} * 2 ** 20).fill(1); await req.svc.tokens.get('a'); return { raw: a.length > 0 }`,
    )
  for (const [memoryMiB, large] of [
    [2_000, { kind: 'answered' }],
    [300, { kind: 'failed', reason: 'memory' }],
  ] as const) {
    const sandbox = openSandbox(t, { limits: { memoryMiB } })
    let isOver = false
    const svc = async () => {
      // Until both have been measured, or one has ended.
      while (!isOver && sandbox.counts().ended === 0) await new Promise(resolve => setTimeout(resolve, 10))
      return found
    }
    const both = [
      sandbox.formula(fills(180), { tenant: 'a', svc }),
      sandbox.formula(fills(60), { tenant: 'b', lane: 'async', svc }),
    ]
    if (memoryMiB === 2_000)
      setTimeout(() => {
        isOver = true
      }, 500)
    t.match(await Promise.all(both), [large, { kind: 'answered' }], `${memoryMiB} MiB`)
    await sandbox.close()
  }
})
