import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import { Surrogate } from '../../../sdk/src/index.ts'
import { later } from '../../verify/support/later.ts'
import { reactorOn } from '../../verify/support/reactors.ts'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { silentLog } from '../base/log.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import { createVault } from '../vault.ts'

t.test('a vault that closes finishes the requests under way, and writes their audit entries', async t => {
  const memory = new MemoryEngine()
  const [gate, reading] = [later(), later()]
  let isClosed = false
  const store = replacing(memory, {
    find: async (kind, ...given) => {
      if (kind === 'token') {
        reading.keep()
        await gate.promise
      }
      return memory.find(kind, ...given)
    },
    close: async () => {
      isClosed = true
    },
  })
  const options = { masterKey: newMasterKey(), log: silentLog }
  const vault = openVault(t, options, { openStore: async () => store })
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })
  const read = tenant.send('GET', '/tokens')
  await reading.promise
  const closing = vault.close()
  // Enough for everything that does not wait for the request.
  for (let turn = 0; turn < 1000; turn++) await nextTurn()
  t.notOk(isClosed)
  gate.keep()
  t.equal((await read).status, 200)
  await closing
  t.ok(isClosed)

  const next = openVault(t, options, { openStore: async () => replacing(memory, {}) })
  const { json } = await sender(next, tenant.managementKey)('GET', '/logs?entity_type=token')
  const operations = json.data.map(({ operation }: { operation: string }) => operation)
  t.same(operations.sort(), ['token:create', 'token:read'])
})

t.test('a formula that runs when a vault closes finishes, in process and over the wire', async t => {
  for (const way of ['in process', 'over the wire']) {
    const vault = openVault(t)
    const { url } = await vault.listen()
    const tenant = await openTenant(vault)
    const dev = vault.dev.forTenant(tenant)
    const code = `module.exports = async () => {
      console.log('begun')
      await new Promise(resolve => setTimeout(resolve, 500))
      return { raw: 'done' }
    }`
    const { id, path } = await reactorOn(tenant, code)
    const request = { method: 'POST', headers: { 'SVC-API-KEY': tenant.privateKey } }
    const reacting = (way === 'in process' ? vault.fetch : fetch)(`${url}${path}`, {
      ...request,
      headers: { ...request.headers, 'Content-Type': 'application/json' },
      body: '{}',
    })
    while ((await dev.console(id)).length === 0) await nextTurn()
    await vault.close()
    const response = await reacting
    t.same(
      { status: response.status, json: await response.json() },
      { status: 200, json: { raw: 'done' } },
      way,
    )
  }
})

t.test('a vault tracks no requests but the times of tenants, and nothing when it is closed', async t => {
  // Each tracking slows down every promise of the process.
  const tracking = new Set<object>()
  let most = 0
  const { prototype } = AsyncLocalStorage
  const { run, disable } = prototype
  t.teardown(() => Object.assign(prototype, { run, disable }))
  prototype.run = function (this: AsyncLocalStorage<unknown>, ...given: Parameters<typeof run>) {
    tracking.add(this)
    most = Math.max(most, tracking.size)
    return Reflect.apply(run, this, given)
  } as typeof run
  prototype.disable = function () {
    tracking.delete(this)
    disable.call(this)
  }
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  t.equal((await tenant.asManagement('POST', '/_dev/tenant/clock', { advance_ms: 1 })).status, 200)
  t.equal((await tenant.send('GET', '/tokens')).status, 200)
  t.equal(most, 1, 'the times of tenants')
  t.equal(tracking.size, 1, 'control: the times of tenants')
  await vault.close()
  t.equal(tracking.size, 0)
})

t.test('a closed vault refuses to be used, on every engine', async t => {
  for (const storage of ['memory:', `level:${t.testdir()}`]) {
    const vault = createVault({ storage, dev: true })
    const { privateKey, managementKey } = await vault.createTenant()
    const surrogate = new Surrogate({ apiKey: privateKey, baseUrl: 'http://vault', fetch: vault.fetch })
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      fetch: () => vault.fetch('http://vault/tokens'),
      listen: async () => (await vault.listen()).close(),
      'clock.now': () => vault.clock.now(),
      'clock.advance': () => vault.clock.advance(1),
      createTenant: () => vault.createTenant(),
      ready: () => vault.ready(),
      settled: () => vault.settled(),
      'dev of a tenant': () => vault.dev.forTenant({ managementKey }).requests.list(),
      'the client': async () => surrogate.tokens.list(),
      reset: () => vault.reset(),
    }
    for (const [name, use] of Object.entries(uses)) await t.resolves(use(), `control: ${name}`)
    await vault.close()
    for (const [name, use] of Object.entries(uses))
      await t.rejects(use(), { name: 'VaultClosed', message: /^the vault is closed/ }, `${storage} ${name}`)
    await t.resolves(vault.close(), 'closing again does nothing')
  }
})
