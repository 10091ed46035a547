import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { systemRandom } from '../base/random.ts'

t.test('settled waits for accepted jobs, their deliveries, and requests under way', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { inbox, requests } = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  for (let count = 0; count < 12; count++) t.equal((await react({ callback_url: inbox.url })).status, 202)
  await vault.settled()
  t.equal((await inbox.list()).length, 12)

  const slow = react({})
  await vault.settled()
  t.equal((await requests.list({ operation: 'reactors.react', status: 200 })).length, 1, 'a formula')
  await slow
})

t.test('settled does not wait for what is due later', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { inbox, settled } = vault.dev.forTenant(tenant)
  t.same(await vault.dev.settled(), { later: 0 })
  t.type(settled, 'function')
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  await inbox.respond(500, { times: 3 })
  for (let count = 0; count < 3; count++) await react({ callback_url: inbox.url })
  t.same(await vault.dev.settled(), { later: 3 })
})

t.test('a delivery under way fails at the time at which it began: moving the clock repeats it', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { faults, inbox } = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  // The attempt is still waiting for its reply while the clock is moved.
  await faults.next({ on: 'delivery', latency: 100, status: 503 })
  await react({ callback_url: inbox.url })
  while ((await faults.list())[0]?.left === 1) await new Promise(resolve => setImmediate(resolve))
  await vault.clock.advance(60_000)
  t.equal((await inbox.list()).length, 1, 'repeated before advance returned')
})

t.test('the clock of a tenant, too, waits for a delivery under way', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { faults, inbox, tenantClock } = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  await faults.next({ on: 'delivery', latency: 100, status: 503 })
  await react({ callback_url: inbox.url })
  while ((await faults.list())[0]?.left === 1) await new Promise(resolve => setImmediate(resolve))
  await tenantClock.advance('1m')
  t.equal((await inbox.list()).length, 1, 'repeated before advance returned')
})

t.test('a job that is due is done before advance returns, by however little the clock moves', async t => {
  const random = systemRandom()
  // Time stands still but for `advance`, and the first retry comes after exactly 7.2 seconds.
  const least = { ...random, bytes: (count: number) => (count === 1 ? Buffer.of(0) : random.bytes(count)) }
  const vault = openReactors(t, { now: () => 1_800_000_000_000 }, { random: least })
  const tenant = await openTenant(vault)
  const { inbox, faults } = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  await faults.next({ on: 'delivery', status: 503 })
  await react({ callback_url: inbox.url })
  await vault.settled()
  await vault.clock.advance(7199)
  t.equal((await inbox.list()).length, 0)
  await vault.clock.advance(1)
  t.equal((await inbox.list()).length, 1)
})

t.test('without dev: true there is no settled', async t => {
  await t.rejects(openVault(t, { dev: false }).settled(), /was the server started with --dev\?/)
})
