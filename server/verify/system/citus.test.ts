// Only at night: it needs Citus.
// In a process of its own: it ends nodes of a database while others work.
import t, { type Test } from 'tap'
import { rootTenant } from '../../src/storage/keys/keyring.ts'
import { type CitusCluster, placeOf, queryOn, startCitus, withOwnCitus } from '../support/citus.ts'
import { startReplicas } from '../support/started-replicas.ts'
import { type Load, WritingClients } from '../support/writing-clients.ts'

/** The number of responses that each stage of a test waits for, of each tenant. */
const some = 60

/** A tenant and what its clients saw. */
interface Busy {
  readonly clients: WritingClients
  readonly faults: string[]
  answers: number
  refusals: number
}

/** Two servers that enter by two nodes, and clients of tenants on both workers. */
async function openCluster(t: Test) {
  // Commits that do not wait for the disk are lost with a node, and by the move of a shard.
  const cluster = await startCitus({ durable: true })
  t.teardown(() => cluster.close())
  const { coordinator, workers } = cluster
  const replicas = startReplicas(t, coordinator.url)
  const first = await replicas.start()
  const root = await placeOf(coordinator.url, rootTenant)
  const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port)
  // The worker with the records of the operator is the one that is worse to lose.
  const victim = workers.find(worker => portOf(worker) === root.port)
  const survivor = workers.find(worker => worker !== victim)
  if (!victim || !survivor) throw new Error('the operator is on no worker')
  const second = await replicas.start({}, survivor.url)
  const urls = [first.url, second.url]
  /** Creates tenants until one is on the worker. */
  const tenantOn = async (worker: CitusCluster['coordinator']) => {
    for (;;) {
      const made = await (await fetch(`${first.url}/_dev/tenants`, { method: 'POST' })).json()
      const { tenant_id, private_key } = made as Record<string, string>
      const { port, shard } = await placeOf(coordinator.url, tenant_id ?? '')
      const busy: Busy = {
        clients: new WritingClients(private_key ?? ''),
        faults: [],
        answers: 0,
        refusals: 0,
      }
      if (port === portOf(worker)) return { ...watched(busy, urls), shard, key: private_key ?? '' }
    }
  }
  return { cluster, victim, survivor, portOf, urls, tenantOn, replicas: [first, second] }
}

/** Starts the clients of a tenant. */
function watched(busy: Busy, urls: readonly string[]) {
  let isOver = false
  let onChange = () => {}
  const load: Load = {
    urls: () => urls,
    isOver: () => isOver,
    isGone: () => false,
    onAnswer: () => {
      busy.answers++
      onChange()
    },
    onRefusal: () => {
      busy.refusals++
      onChange()
    },
    faults: busy.faults,
  }
  let writing: Promise<void> = Promise.resolve()
  return {
    seen: busy,
    start: () => {
      writing = busy.clients.write(load)
    },
    reached: (met: () => boolean) =>
      new Promise<void>(resolve => {
        onChange = () => {
          if (met()) resolve()
        }
        onChange()
      }),
    /** Ends the clients, and compares what is there with what they were told. */
    settle: async (t: Test) => {
      isOver = true
      await writing
      const [url = ''] = urls
      t.same(busy.faults, [], 'whatever was asked was answered as ever or by 503 and a time to come back')
      const { ids, total } = await busy.clients.list(url)
      t.equal(new Set(ids).size, ids.length)
      t.equal(total, ids.length)
      t.same((await busy.clients.check(url, ids, busy.faults)).sort(), ids.sort())
      t.same(busy.faults.slice(0, 5), [], 'every answered write is there')
    },
  }
}

t.test('a worker is killed under load: only its tenants notice', withOwnCitus, async t => {
  const { cluster, victim, survivor, tenantOn, replicas, urls } = await openCluster(t)
  const [hit, spared] = [await tenantOn(victim), await tenantOn(survivor)]
  for (const one of [hit, spared]) one.start()
  for (const one of [hit, spared]) await one.reached(() => one.seen.answers >= some)
  t.same([hit.seen.refusals, spared.seen.refusals], [0, 0], 'nothing is refused while all nodes are there')

  await victim.kill()
  await hit.reached(() => hit.seen.refusals >= some)
  const before = spared.seen.answers
  await spared.reached(() => spared.seen.answers >= before + some)
  for (const replica of replicas) t.equal(await replica.health(), 200)
  t.equal(spared.seen.refusals, 0, 'tenants of the other worker go on, on every server')

  await victim.start()
  const back = hit.seen.answers
  await hit.reached(() => hit.seen.answers >= back + some)
  for (const one of [hit, spared]) await one.settle(t)
  t.equal(spared.seen.refusals, 0)

  await cluster.coordinator.kill()
  const [first, second] = urls
  for (const { seen } of [hit, spared]) {
    for (const token of Array.from({ length: 5 }, () => ({ type: 'token', data: 1 })))
      t.equal(
        (await seen.clients.call(second ?? '', 'POST', '/tokens', token)).status,
        201,
        'a worker is enough',
      )
    t.equal((await seen.clients.call(first ?? '', 'GET', '/tokens')).status, 503, 'the control')
  }
  await cluster.coordinator.start()
  t.comment(
    `killed: ${hit.seen.answers} answers and ${hit.seen.refusals} refusals; other: ${spared.seen.answers} answers`,
  )
})

t.test('the shard of a tenant moves to the other worker under load', withOwnCitus, async t => {
  const { cluster, victim, survivor, portOf, tenantOn } = await openCluster(t)
  const { url } = cluster.coordinator
  const [moved, other] = [await tenantOn(victim), await tenantOn(survivor)]
  for (const one of [moved, other]) one.start()
  for (const one of [moved, other]) await one.reached(() => one.seen.answers >= some)
  const move = (from: typeof victim, to: typeof victim) =>
    queryOn(url, "SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')", [
      moved.shard,
      portOf(from),
      portOf(to),
    ])
  for (const [from, to] of [
    [victim, survivor],
    [survivor, victim],
  ] as const) {
    await move(from, to)
    const before = moved.seen.answers
    await moved.reached(() => moved.seen.answers >= before + some)
  }
  for (const one of [moved, other]) await one.settle(t)
  t.equal(other.seen.refusals, 0)
  t.comment(
    `moved: ${moved.seen.answers} answers and ${moved.seen.refusals} refusals; other: ${other.seen.answers} answers`,
  )
})
