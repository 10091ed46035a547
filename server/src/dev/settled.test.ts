import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openVault } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { systemRandom } from '../base/random.ts'
import { openDev } from './_dev.ts'

async function openReactor(...given: Parameters<typeof openDev>) {
  const { vault, tenant, dev } = await openDev(...given)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  return { vault, dev, react, deliver: () => react({ callback_url: dev.inbox.url }) }
}

t.test('settled waits for accepted jobs, their deliveries, and requests under way', async t => {
  const { vault, dev, react, deliver } = await openReactor(t)
  t.same(await dev.settled(), { later: 0 })
  for (let count = 0; count < 12; count++) t.equal((await deliver()).status, 202)
  await vault.settled()
  t.equal((await dev.inbox.list()).length, 12)
  const slow = react({})
  await vault.settled()
  const done = await dev.requests.list({ operation: 'reactors.react', status: 200 })
  t.equal(done.length, 1, 'a formula')
  await slow
  await dev.inbox.respond(500, { times: 3 })
  for (let count = 0; count < 3; count++) await deliver()
  t.same(await vault.dev.settled(), { later: 3 }, 'but not for what is due later')
  await t.rejects(openVault(t, { dev: false }).settled(), /was the server started with --dev\?/)
})

t.test('a delivery under way fails at the time at which it began: moving a clock repeats it', async t => {
  const { vault, dev, deliver } = await openReactor(t)
  const clocks = [() => vault.clock.advance(60_000), () => dev.tenantClock.advance('1m')]
  for (const [before, advance] of clocks.entries()) {
    // The attempt is still waiting for its reply while the clock is moved.
    await dev.faults.next({ on: 'delivery', latency: 100, status: 503 })
    await deliver()
    while ((await dev.faults.list()).at(-1)?.left === 1) await nextTurn()
    await advance()
    t.match((await dev.inbox.list())[before], { attempts: [{ status: 503 }, { status: 200 }] })
  }
})

t.test('a job that is due is done before advance returns, by however little the clock moves', async t => {
  const random = systemRandom()
  // Time stands still but for `advance`, and the first retry comes after exactly 7.2 seconds.
  const least = { ...random, bytes: (count: number) => (count === 1 ? Buffer.of(0) : random.bytes(count)) }
  const { vault, dev, deliver } = await openReactor(t, { now: () => 1_800_000_000_000 }, { random: least })
  await dev.faults.next({ on: 'delivery', status: 503 })
  await deliver()
  await vault.settled()
  await vault.clock.advance(7199)
  t.equal((await dev.inbox.list())[0]?.attempts.length, 1)
  await vault.clock.advance(1)
  t.equal((await dev.inbox.list())[0]?.attempts.length, 2)
})
