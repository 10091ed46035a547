// Only at night: it needs Citus.
// In a process of its own: it ends nodes of a database.
import t from 'tap'
import { rootTenant } from '../../src/storage/keys/keyring.ts'
import { openStore, parseStorage } from '../../src/storage/open.ts'
import { placeOf, queryOn, startCitus, withOwnCitus } from '../support/citus.ts'
import { echo, makeFormula, makeReactor } from '../support/reactors.ts'
import { openReceiver } from '../support/receiver.ts'
import { newMasterKey } from '../support/stores.ts'
import { openTenant, openVault, type TestTenant } from '../support/vault.ts'

const minute = 60_000
const now = () => Date.UTC(2030, 0, 1)

async function openCluster(t: Parameters<typeof openVault>[0]) {
  const { coordinator, workers, close } = await startCitus({ durable: true })
  t.teardown(close)
  const { url } = coordinator
  await (await openStore(parseStorage(url), { migrate: true })).close()
  const lines: string[] = []
  const silent = { info() {}, warn() {}, error: (event: string) => void lines.push(event) }
  const options = { now, developmentTenant: false, allowPrivateCallbacks: true, log: silent }
  const vault = openVault(t, { storage: url, masterKey: newMasterKey(), ...options })
  const tenantAt = async (wanted: number): Promise<TestTenant> => {
    for (;;) {
      const tenant = await openTenant(vault)
      if ((await placeOf(url, tenant.tenantId)).port === wanted) return tenant
    }
  }
  const root = (await placeOf(url, rootTenant)).port
  const nodes = workers.map(worker => ({ worker, port: Number(new URL(worker.url).port) }))
  const [withRoot, other] = nodes.sort((a, b) => Number(b.port === root) - Number(a.port === root))
  if (!withRoot || !other) throw new Error('the cluster has fewer than two workers')
  const countTokens = async ({ tenantId }: TestTenant) => {
    const rows = await queryOn<{ count: string }>(
      url,
      'SELECT count(*) FROM documents WHERE tenant = $1 AND kind = 111',
      [tenantId],
    )
    return Number(rows[0]?.count)
  }
  return { vault, withRoot, other, tenantAt, countTokens, lines }
}

for (const hasRecords of [false, true]) {
  const which = hasRecords ? 'the worker with the records of the operator' : 'the other worker'
  t.test(`what is due of tenants elsewhere is done while ${which} is down`, withOwnCitus, async t => {
    const { vault, withRoot, other, tenantAt, countTokens, lines } = await openCluster(t)
    const [down, up] = hasRecords ? [withRoot, other] : [other, withRoot]
    const receiver = await openReceiver(t)
    const [hit, spared] = [await tenantAt(down.port), await tenantAt(up.port)]
    const body = { type: 'token', data: 1, expires_at: '2030-01-01T00:00:30Z' }
    const paths = new Map<TestTenant, string>()
    for (const tenant of [hit, spared]) {
      for (let n = 0; n < 3; n++) await tenant.send('POST', '/tokens', body)
      const { id } = await makeReactor(tenant, (await makeFormula(tenant, echo)).id)
      paths.set(tenant, `/reactors/${id}/react`)
    }
    const react = (tenant: TestTenant) =>
      tenant.send('POST', paths.get(tenant) ?? '', { args: {}, callback_url: `${receiver.origin}/done` })

    await down.worker.kill()
    t.equal((await react(hit)).status, 503, 'the control')
    t.equal((await react(spared)).status, 202)
    await receiver.arrived(1)
    // The record of the time is the operator's.
    await vault.clock.advance(2 * minute).catch(() => {})
    t.equal(await countTokens(spared), 0)
    const event = 'nodes of the database do not answer: what is due on them waits'
    t.equal(lines.filter(line => line === event).length, 1, lines.join(', '))

    await down.worker.start()
    t.equal(await countTokens(hit), 3)
    await vault.clock.advance(2 * minute)
    t.equal(await countTokens(hit), 0)
    t.equal((await react(hit)).status, 202)
    await receiver.arrived(2)
  })
}
