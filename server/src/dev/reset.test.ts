import t, { type Test } from 'tap'
import { webhooks } from '../../../sdk/src/webhooks.ts'
import { echo, makeFormula, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault, type Reply, sender } from '../../verify/support/vault.ts'
import type { Vault } from '../vault.ts'
import { number, openDev } from './_dev.ts'

const key = 'key_prv_of_the_bootstrap'
const permissions = ['token:create', 'token:read', 'token:search']
const application = {
  ...{ id: '2b0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c12', name: 'Backend', type: 'private', key, permissions: [] },
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
}
const bootstrap = {
  tenants: [{ id: '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c11', name: 'Shop', applications: [application] }],
}
const card = { id: 'a-card', type: 'card', data: { number, cvc: '123' } }

t.test('a reset empties the store and applies the bootstrap again', async t => {
  const { vault, tenant: made } = await openDev(t, { bootstrap })
  const kept = sender(vault, key)
  for (const send of [kept, made.send]) t.equal((await send('POST', '/tokens', card)).status, 201)
  const reset = await sender(vault, undefined)('POST', '/_dev/reset')
  t.same([reset.status, reset.text], [204, ''])
  t.equal((await kept('GET', '/applications/key')).json.name, 'Backend')
  t.equal((await kept('GET', '/tokens/a-card')).status, 404)
  t.equal((await kept('GET', '/tokens')).json.pagination.total_items, 0)
  t.equal((await made.send('GET', '/tokens')).status, 401, 'a tenant made since is gone, keys and all')
  t.equal((await kept('POST', '/tokens', card)).status, 201, 'and the id is free')
})

t.test('on LevelDB a reset keeps the printed keys, and a restart the clocks', async t => {
  const storage = `level:${t.testdir({})}`
  const now = () => Date.UTC(2030, 0, 1)
  const first = openVault(t, { storage, now })
  const { development } = await first.ready()
  if (!development) throw new Error('no development tenant')
  await first.clock.advance(3_600_000)
  await first.dev.forTenant(development).tenantClock.advance('1h')
  await first.close()
  const second = openVault(t, { storage, now })
  const { tenantClock } = second.dev.forTenant(development)
  t.equal(await second.clock.now(), now() + 3_600_000)
  t.equal((await tenantClock.now()).getTime(), now() + 2 * 3_600_000)
  const send = sender(second, development.privateKey)
  t.equal((await send('POST', '/tokens', card)).status, 201)
  await second.reset()
  t.equal((await tenantClock.now()).getTime(), now())
  t.equal((await send('GET', '/tokens/a-card')).status, 404)
  t.equal((await send('POST', '/tokens', card)).status, 201)
})

for (const where of ['the engine of this run', 'LevelDB']) {
  t.test(`on ${where}, requests beside resets see what was before or what is after`, async t => {
    const storage = where === 'LevelDB' ? { storage: `level:${t.testdir()}` } : {}
    await besideResets(t, openVault(t, { bootstrap, ...storage }))
  })
}

async function besideResets(t: Test, vault: Vault): Promise<void> {
  const send = async (method: string, path: string, body?: object) => {
    const { status } = await sender(vault, key)(method, path, body as never)
    return `${method} ${path} ${status}`
  }
  const found = new Set<string>()
  const client = async (name: string) => {
    for (let round = 0; round < 20; round++) {
      found.add(await send('POST', '/tokens', { type: 'token', data: name, deduplicate_token: true }))
      found.add(await send('POST', '/tokens', { id: 'shared', type: 'token', data: name }))
      found.add(await send('GET', '/tokens/shared'))
      found.add(await send('GET', '/tokens'))
      found.add(await send('POST', '/tokens/search', { query: 'type:token' }))
    }
  }
  const resets = async () => {
    for (let round = 0; round < 10; round++) {
      const made = vault.createTenant()
      t.equal(await send('POST', '/_dev/reset'), 'POST /_dev/reset 204')
      await made
    }
  }
  await Promise.all([...['a', 'b', 'c', 'd'].map(client), resets(), resets()])
  t.notOk([...found].some(one => !/ (20[01]|404|409)$/.test(one)))
  t.ok(found.has('POST /tokens 201'), 'the control')
}

t.test('after a reset time begins as at the start, and what is regular goes on', async t => {
  const { vault, dev } = await openDev(t, { storage: 'memory:', seed: 7, auditRetentionDays: 1 })
  await vault.clock.advance(3_600_000)
  await dev.tenantClock.advance('400d')
  await vault.reset()
  t.equal(await vault.clock.now(), Date.UTC(2030, 0, 1))
  const tenant = await openTenant(vault)
  const body = { type: 'token', data: 1, expires_at: '2030-01-01T00:10:00Z' }
  t.match((await tenant.send('POST', '/tokens', body)).json.created_at, /^2030-01-01T00:00:00/)
  const operations = async (): Promise<string[]> =>
    (await tenant.asManagement('GET', '/logs?entity_type=token')).json.data.map(
      ({ operation }: { operation: string }) => operation,
    )
  await vault.clock.advance(600_000)
  t.same(await operations(), ['token:expire', 'token:create'], 'tokens are swept')
  await vault.clock.advance(2 * 86_400_000)
  t.same(await operations(), [], 'old entries are erased')
})

/** Does the same things on a new vault. Returns all that it has made. */
async function run(t: Test, seed: number) {
  const { vault, tenant } = await openDev(t, { storage: 'memory:', seed, allowPrivateCallbacks: true })
  const receiver = await openReceiver(t)
  const made: Reply[] = []
  const create = async (body: object) => made.push(await tenant.send('POST', '/tokens', body as never))
  await create({ type: 'card', data: card.data })
  await create({ id: '{{ data | alias_preserve_length }}', type: 'token', data: 'something' })
  made.push(await tenant.send('GET', `/tokens/${made[0]?.json.id}`))
  const limited = await tenant.application({ permissions: ['token:read'] })
  const formula = await makeFormula(tenant, echo)
  await (await reactorOn(tenant, echo))({ args: {}, callback_url: receiver.origin })
  await vault.clock.advance(60_000)
  await create({ type: 'token', data: 'later' })
  made.push(await tenant.asPublic('POST', '/sessions'))
  const logs = await tenant.asManagement('GET', '/logs?size=100')
  const { tenantId, publicKey, privateKey, managementKey, webhookSecret } = tenant
  return {
    keys: { tenantId, publicKey, privateKey, managementKey, webhookSecret, limited: limited.key },
    made: made.map(({ json }) => json),
    formula,
    webhook: receiver.received[0]?.headers['webhook-id'],
    // Entries of reads are written a little later than those of writes, so that their order may differ.
    logs: logs.json.data.map(({ id, operation }: Record<string, string>) => `${id} ${operation}`).sort(),
  }
}

t.test('with the same seed every run makes the same ids, keys, aliases and times', async t => {
  const first = await run(t, 42)
  t.ok(first.webhook)
  t.match(first.made[0].created_at, /^2030-01-01T00:00:00/)
  t.same(await run(t, 42), first)
  const other = await run(t, 43)
  t.not(other.keys.privateKey, first.keys.privateKey)
  t.not(other.made[0].id, first.made[0].id)
})

t.test('with a seed a webhook is signed as of now, and its receiver accepts it', async t => {
  const { vault, tenant, dev } = await openDev(t, {
    storage: 'memory:',
    seed: 1,
    allowPrivateCallbacks: true,
  })
  const receiver = await openReceiver(t)
  const react = await reactorOn(tenant, echo)
  await react({ args: {}, callback_url: receiver.origin })
  await react({ args: {}, callback_url: dev.inbox.url })
  await vault.clock.advance(60_000)
  const [received] = receiver.received
  const { body, headers } = received ?? { body: '', headers: {} }
  t.match(await webhooks.verify(body, headers, tenant.webhookSecret), { raw: { args: {} } })
  const kept = await dev.inbox.next()
  t.ok(await webhooks.verify(JSON.stringify(kept.body), kept.headers, tenant.webhookSecret))
})

t.test('a seed is for development in memory only', async t => {
  const seeded = (more: object) => openVault(t, { storage: 'memory:', seed: 1, ...more }).ready()
  const refusal = { name: 'VaultOptionsError', message: /^seed needs dev: true/ }
  for (const more of [{ dev: false }, { storage: `level:${t.testdir({})}` }])
    await t.rejects(seeded(more), refusal)
  await t.rejects(seeded({ seed: 0.5 }), { message: 'seed must be a whole number' })
  await t.resolves(seeded({}))
})
