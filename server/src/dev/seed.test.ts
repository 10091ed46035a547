import t from 'tap'
import { echo, makeFormula, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

type Tap = Parameters<typeof openVault>[0] & Parameters<typeof openReceiver>[0]

/** Does the same things on a new vault. Returns all that it has made. */
async function run(t: Tap, seed: number) {
  const vault = openVault(t, { storage: 'memory:', seed, allowPrivateCallbacks: true })
  const receiver = await openReceiver(t)
  const { send, asManagement, application, ...keys } = await openTenant(vault)
  const tenant = { send, asManagement, application, ...keys }
  const card = await send('POST', '/tokens', {
    type: 'card',
    data: { number: '4242424242424242', cvc: '123' },
  })
  const alias = await send('POST', '/tokens', {
    id: '{{ data | alias_preserve_length }}',
    type: 'token',
    data: 'something',
  })
  const read = await send('GET', `/tokens/${card.json.id}`)
  const limited = await application({ permissions: ['token:read'] })
  const formula = await makeFormula(tenant, echo)
  const react = await reactorOn(tenant, echo)
  await react({ args: {}, callback_url: receiver.origin })
  await vault.clock.advance(60_000)
  const later = await send('POST', '/tokens', { type: 'token', data: 'later' })
  const session = await tenant.asPublic('POST', '/sessions')
  const logs = await asManagement('GET', '/logs?size=100')
  const { tenantId, publicKey, privateKey, managementKey, webhookSecret } = tenant
  return {
    keys: { tenantId, publicKey, privateKey, managementKey, webhookSecret, limited: limited.key },
    made: [card, alias, read, later, session].map(({ json }) => json),
    formula,
    webhook: receiver.received[0]?.headers['webhook-id'],
    // Entries of reads are written a little later than those of writes, so that their order may differ.
    logs: logs.json.data.map(({ id, operation }: Record<string, string>) => `${id} ${operation}`).sort(),
  }
}

t.test('after a reset time begins as at the start, and what is regular goes on', async t => {
  const vault = openVault(t, { storage: 'memory:', seed: 7, auditRetentionDays: 1 })
  await vault.clock.advance(3_600_000)
  await vault.dev.forTenant(await vault.createTenant()).tenantClock.advance('400d')
  await vault.reset()
  t.equal(await vault.clock.now(), Date.UTC(2030, 0, 1))
  const tenant = await openTenant(vault)
  const body = { type: 'token', data: 1, expires_at: '2030-01-01T00:10:00Z' }
  const { json } = await tenant.send('POST', '/tokens', body)
  t.match(json.created_at, /^2030-01-01T00:00:00/)
  const operations = async (): Promise<string[]> =>
    (await tenant.asManagement('GET', '/logs?entity_type=token')).json.data.map(
      ({ operation }: { operation: string }) => operation,
    )
  await vault.clock.advance(600_000)
  t.same(await operations(), ['token:expire', 'token:create'], 'tokens are swept')
  await vault.clock.advance(2 * 86_400_000)
  t.same(await operations(), [], 'old entries are erased')
})

t.test('with the same seed every run makes the same ids, keys, aliases and times', async t => {
  const first = await run(t, 42)
  t.ok(first.webhook)
  t.match(first.made[0].created_at, /^2030-01-01T00:00:00/)
  t.same(await run(t, 42), first)
  const other = await run(t, 43)
  t.not(other.keys.privateKey, first.keys.privateKey)
  t.not(other.made[0].id, first.made[0].id)
})

t.test('a seed is for development in memory only', async t => {
  for (const options of [{ dev: false }, { storage: `level:${t.testdir({})}` }]) {
    const vault = openVault(t, { storage: 'memory:', seed: 1, ...options })
    await t.rejects(vault.ready(), { name: 'VaultOptionsError', message: /^seed needs dev: true/ })
  }
  await t.rejects(openVault(t, { seed: 0.5 }).ready(), { message: 'seed must be a whole number' })
  await t.resolves(openVault(t, { storage: 'memory:', seed: 1 }).ready())
})
