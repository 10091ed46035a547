// Only at night: it needs Citus.
// In a process of its own: it ends nodes of a database while others work.
import t, { type Test } from 'tap'
import { rootTenant } from '../../src/storage/keys/keyring.ts'
import { type CitusCluster, placeOf, queryOn, startCitus, withOwnCitus } from '../support/citus.ts'
import { callOver, makeTenantOver, startReplicas } from '../support/started-replicas.ts'
import { InterruptedClients } from './history/interrupted.ts'

/** The number of responses that each stage of a test waits for, of each tenant. */
const some = 60

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
  /** Creates tenants until one is on the worker, and starts its clients. */
  const tenantOn = async (worker: CitusCluster['coordinator']) => {
    for (;;) {
      const { tenant_id, private_key: key } = await makeTenantOver(first.url)
      const { port, shard } = await placeOf(coordinator.url, tenant_id)
      if (port === portOf(worker)) return { clients: new InterruptedClients(urls, key), shard, key }
    }
  }
  return { cluster, victim, survivor, portOf, urls, tenantOn, replicas: [first, second] }
}

const asEver = 'whatever was asked was answered as ever or by 503, and every answered write is there'

t.test('a worker is killed under load: only its tenants notice', withOwnCitus, async t => {
  const { cluster, victim, survivor, tenantOn, replicas, urls } = await openCluster(t)
  const [hit, spared] = [await tenantOn(victim), await tenantOn(survivor)]
  for (const { clients } of [hit, spared]) await clients.answered(some)
  const refusals = () => [hit, spared].map(({ clients }) => clients.refusals)
  t.same(refusals(), [0, 0], 'nothing is refused while all nodes are there')

  const interrupted = hit.clients.interruption()
  await victim.kill()
  await interrupted
  const statuses = () =>
    Promise.all(urls.map(async url => (await callOver(url, hit.key, 'GET', '/tokens')).status))
  t.same(await statuses(), [503, 503])
  await spared.clients.answered(some)
  for (const replica of replicas) t.equal(await replica.health(), 200)
  t.equal(spared.clients.refusals, 0, 'tenants of the other worker go on, on every server')

  await victim.start()
  while ((await statuses()).some(status => status !== 200));
  hit.clients.goOn()
  await hit.clients.answered(some)
  for (const { clients } of [hit, spared]) t.same(await clients.end(), [], asEver)
  t.equal(spared.clients.refusals, 0)

  await cluster.coordinator.kill()
  const [first, second] = urls
  for (const { key } of [hit, spared]) {
    for (let n = 0; n < 5; n++) {
      const { status } = await callOver(second ?? '', key, 'POST', '/tokens', { type: 'token', data: 1 })
      t.equal(status, 201, 'a worker is enough')
    }
    t.equal((await callOver(first ?? '', key, 'GET', '/tokens')).status, 503, 'the control')
  }
  await cluster.coordinator.start()
  t.comment(`killed: ${hit.clients.answers} answers; other: ${spared.clients.answers} answers`)
})

t.test('the shard of a tenant moves to the other worker under load', withOwnCitus, async t => {
  const { cluster, victim, survivor, portOf, tenantOn } = await openCluster(t)
  const { url } = cluster.coordinator
  const [moved, other] = [await tenantOn(victim), await tenantOn(survivor)]
  for (const { clients } of [moved, other]) await clients.answered(some)
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
    await moved.clients.answered(some)
  }
  for (const { clients } of [moved, other]) t.same(await clients.end(), [], asEver)
  t.equal(other.clients.refusals, 0)
  t.comment(`moved: ${moved.clients.answers} answers and ${moved.clients.refusals} refusals`)
})
