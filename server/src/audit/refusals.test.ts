import t from 'tap'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, type Send, sender } from '../../verify/support/vault.ts'
import { silentLog } from '../base/log.ts'
import type { AuditedAction } from './entries.ts'
import { RefusalCounts } from './refusals.ts'

const minute = 60_000
const now = () => Date.UTC(2030, 0, 1)

interface Entry {
  readonly operation: string
  readonly outcome: string
  readonly actor_id: string
  readonly entity_id?: string
  readonly count?: number
}

async function refusals(asManagement: Send): Promise<Entry[]> {
  const { json } = await asManagement('GET', '/logs?size=100')
  return json.data.filter(({ outcome }: Entry) => outcome === 'refused')
}

t.test('other callers, other operations and other tenants are counted apart', async t => {
  const vault = openVault(t, { now })
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const rights = { permissions: ['token:use'] }
  const callers = [await tenant.application(rights), await tenant.application(rights)]
  const stranger = await other.application(rights)
  for (const send of [...callers, stranger]) {
    for (let again = 0; again < 3; again++) {
      await send('GET', '/tokens')
      await send('POST', '/tokens', { type: 'token', data: 1 })
    }
  }
  await vault.clock.advance(minute)
  for (const [among, actors] of [
    [tenant, callers],
    [other, [stranger]],
  ] as const) {
    const entries = await refusals(among.asManagement)
    t.equal(entries.length, actors.length * 2 * 2)
    for (const { id } of actors) {
      for (const operation of ['token:read', 'token:create']) {
        const own = entries.filter(entry => entry.actor_id === id && entry.operation === operation)
        const found = own.map(({ count }) => count ?? 1)
        t.same(found, [2, 1])
      }
    }
  }
})

t.test('the count names what it is about where that is always the same', async t => {
  const vault = openVault(t, { now })
  const tenant = await openTenant(vault)
  const make = async () =>
    (await tenant.send('POST', '/tokens', { type: 'token', data: 1, containers: ['/a/'] })).json.id
  const [one, two] = [await make(), await make()]
  const rules = [{ priority: 1, container: '/b/', transform: 'mask', permissions: ['token:read'] }]
  const [same, different] = [await tenant.application({ rules }), await tenant.application({ rules })]
  for (const id of [one, one, one]) t.equal((await same('GET', `/tokens/${id}`)).status, 403)
  for (const id of [one, two, one]) t.equal((await different('GET', `/tokens/${id}`)).status, 403)
  await vault.clock.advance(minute)
  const entries = await refusals(tenant.asManagement)
  const of = (actor: string) => entries.filter(entry => entry.actor_id === actor)
  const found = of(same.id).map(({ count, entity_id }) => [count, entity_id])
  t.same(found, [
    [2, one],
    [undefined, one],
  ])
  const seen = of(different.id).map(({ count, entity_id }) => [count, entity_id])
  t.same(seen, [
    [2, undefined],
    [undefined, one],
  ])
})

t.test('a flood of refusals costs a bounded number of writes, and a stop loses none of them', async t => {
  const store = await openTestStore(t)
  let entries = 0
  const counting = replacing(store, {
    commit: (writes, nowUs) => {
      entries += writes.filter(({ kind }) => kind === 'audit').length
      return store.commit(writes, nowUs)
    },
  })
  const masterKey = newMasterKey()
  const options = { now, masterKey, dev: false, log: silentLog }
  const vault = openVault(t, options, { openStore: async () => counting })
  const tenant = await openTenant(vault)
  const reader = await tenant.application({ permissions: ['token:read'] })
  entries = 0
  const flood = async (count: number) => {
    for (let sent = 0; sent < count; sent += 50) {
      await Promise.all(
        Array.from({ length: 50 }, () => reader('POST', '/tokens', { type: 'token', data: 1 })),
      )
    }
  }
  await flood(500)
  await vault.clock.advance(minute)
  await flood(500)
  await vault.close()
  t.equal(entries, 4)
  const again = openVault(t, options, { openStore: async () => store })
  const left = await refusals(sender(again, tenant.managementKey))
  const found = left.reduce((sum, { count }) => sum + (count ?? 1), 0)
  t.equal(found, 1_000)
})

t.test('what is counted is bounded: the oldest counts are written early', async t => {
  const counts = new RefusalCounts(3)
  const action = (actor: string): AuditedAction => ({
    operation: 'token:read',
    entity_type: 'token',
    actor,
    outcome: 'refused',
  })
  for (const actor of ['a', 'a', 'a', 'b', 'c']) counts.repeats('tenant', action(actor))
  t.same(counts.takeSurplus(), [])
  counts.repeats('tenant', action('d'))
  t.same(counts.takeSurplus(), [{ tenant: 'tenant', action: { ...action('a'), count: 2 } }])
  t.equal(counts.size, 3)
  counts.repeats('tenant', action('e'))
  t.same(counts.takeSurplus(), [], 'one without repeats has its entry')
  t.equal(counts.repeats('tenant', action('e')), true)
  t.same(counts.takeAll(), [{ tenant: 'tenant', action: action('e') }])
  t.equal(counts.size, 0)
})
