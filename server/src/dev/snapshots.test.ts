import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import { devsOf, openDev } from './_dev.ts'

const start = Date.UTC(2030, 0, 1)
const options = { storage: 'memory:', now: () => start }
const token = (id: string) => ({ id, type: 'token', data: id.length })

t.test('a tenant returns to a snapshot, in process and over the wire, and others do not', async t => {
  const { vault, tenant } = await openDev(t, options)
  const other = await openTenant(vault)
  const ids = async (of = tenant) =>
    (await of.send('GET', '/tokens')).json.data.map(({ id }: { id: string }) => id).sort()
  for (const [, dev] of await devsOf(vault, tenant)) {
    await tenant.send('POST', '/tokens', token('kept'))
    await tenant.send('POST', '/tokens', { ...token('changed'), metadata: { at: 'first' } })
    await tenant.send('POST', '/tokens', { ...token('expiring'), expires_at: '2030-01-01T01:00:00Z' })
    await tenant.send('POST', '/tokens', token('deleted'))
    const name = await dev.snapshot()

    for (let round = 0; round < 2; round++) {
      await dev.tenantClock.advance('2h')
      await tenant.send('DELETE', '/tokens/deleted')
      await tenant.send('PATCH', '/tokens/changed', { metadata: { at: 'later' } })
      await tenant.send('POST', '/tokens', token('added'))
      await other.send('POST', '/tokens', token('added'))
      t.same(await ids(), ['added', 'changed', 'kept'], 'the control: all of it happened')
      await dev.restore(name)
      t.same(await ids(), ['changed', 'deleted', 'expiring', 'kept'])
      t.equal((await tenant.send('GET', '/tokens/changed')).json.metadata.at, 'first')
      t.equal((await dev.tenantClock.now()).getTime(), start)
    }
    t.same(await ids(other), ['added'])
    for (const id of await ids()) await tenant.send('DELETE', `/tokens/${id}`)
  }
})

t.test('keys and rights return too, also on a server that is watched', async t => {
  const { tenant, dev } = await openDev(t, { ...options, metrics: true })
  const limited = await tenant.application({ permissions: ['token:read'] })
  await dev.snapshot('base')
  const later = await tenant.application({ permissions: ['token:read'] })
  const other = { name: 'Other', permissions: ['token:search'] }
  await tenant.asManagement('PUT', `/applications/${limited.id}`, other)
  t.equal((await limited('GET', '/tokens')).status, 403)
  await dev.restore('base')
  t.equal((await limited('GET', '/tokens')).status, 200, 'rights are those of the snapshot')
  t.equal((await later('GET', '/tokens')).status, 401, 'a later application is gone')
  await tenant.asManagement('DELETE', `/applications/${limited.id}`)
  t.equal((await limited('GET', '/tokens')).status, 401)
  await dev.restore('base')
  t.equal((await limited('GET', '/tokens')).status, 200, 'a deleted key works again')
})

t.test('names belong to a tenant, and end with a reset', async t => {
  const vault = openVault(t, { ...options, developmentTenant: true })
  const { development } = await vault.ready()
  if (!development) throw new Error('no development tenant')
  const dev = vault.dev.forTenant(development)
  await dev.snapshot('base')
  await dev.restore('base')
  const other = vault.dev.forTenant(await vault.createTenant())
  await t.rejects(other.restore('base'), { status: 404, message: /no snapshot with this name/ })
  await t.rejects(dev.restore('Base'), { status: 404, message: /./ })
  await t.rejects(dev.snapshot(''), { status: 400, message: /name/ })
  for (let number = 1; number < 100; number++) await dev.snapshot()
  await t.rejects(dev.snapshot(), { status: 400, message: /at most 100/ })
  t.equal(await dev.snapshot('base'), 'base', 'an earlier one can be replaced')
  await vault.reset()
  await t.rejects(dev.restore('base'), { status: 404, message: /./ })
})

t.test('a reset frees the data that snapshots keep', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const kept: WeakRef<object>[] = []
  const memory = new MemoryEngine()
  const store = replacing(memory, {
    snapshot: (...given) => {
      const restore = memory.snapshot(...given)
      kept.push(new WeakRef(restore))
      return restore
    },
  })
  const vault = openVault(t, { masterKey: newMasterKey() }, { openStore: async () => store })
  const dev = vault.dev.forTenant(await vault.createTenant())
  await dev.snapshot()
  const isKept = async () => {
    // An object that was used in this turn is not collected before the next one.
    await nextTurn()
    collect()
    return kept.some(one => one.deref())
  }
  t.ok(await isKept(), 'control')
  await vault.reset()
  t.notOk(await isKept())
})

t.test('a storage without snapshots refuses them', async t => {
  const { dev } = await openDev(t, { storage: `level:${t.testdir({})}` })
  await t.rejects(dev.snapshot(), { status: 409, message: /memory:/ })
})
