import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import t, { type Test } from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import type { Dev } from '../generated/dev-client/index.ts'
import { vaultHandlers } from '../msw.ts'
import type { Vault } from '../vault.ts'

/** A request that a fault holds back, made in each way, and given up. */
type Ask = (path: string, signal: AbortSignal) => Promise<unknown>

async function waysTo(t: Test, vault: Vault, { privateKey }: TestTenant, method = 'GET') {
  const { url } = await vault.listen()
  const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }
  const given = { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }
  const server = setupServer(
    ...vaultHandlers(vault, 'https://vault.example.org'),
    http.all('*', () => HttpResponse.error()),
  )
  const byMsw: Ask = async (path, signal) => {
    server.listen({ onUnhandledRequest: 'error' })
    return fetch(`https://vault.example.org${path}`, { ...given, signal }).finally(() => server.close())
  }
  t.teardown(() => server.close())
  const inProcess: Ask = (path, signal) => vault.fetch(`http://vault${path}`, { ...given, signal })
  const overTheWire: Ask = (path, signal) => fetch(`${url}${path}`, { ...given, signal })
  return { inProcess, overTheWire, byMsw }
}

/** Resolves when all faults are at work. */
async function taken({ faults }: Dev): Promise<void> {
  while ((await faults.list()).some(({ left }) => left > 0)) await nextTurn()
}

const held = [{ timeout: 'before' }, { timeout: 'after' }, { latency: 60_000 }] as const

t.test('a fault that holds a request ends when its caller gives up', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  for (const [way, ask] of Object.entries(await waysTo(t, vault, tenant))) {
    for (const fault of held) {
      const name = `${way}: ${JSON.stringify(fault)}`
      await dev.faults.next(fault)
      const caller = new AbortController()
      const asked = ask('/tokens', caller.signal).catch(error => error)
      await taken(dev)
      caller.abort()
      t.match(await asked, { name: 'AbortError' }, name)
      // Without its caller it would be held for a minute, which is longer than a test may take.
      await t.resolves(vault.settled(), name)
    }
  }
})

t.test('a delay of a formula ends when its caller gives up, and not for a job', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, "module.exports = async () => ({ raw: 'done' })")
  for (const [way, ask] of Object.entries(await waysTo(t, vault, tenant, 'POST'))) {
    await dev.faults.next({ on: 'formula', latency: 60_000 })
    const caller = new AbortController()
    const asked = ask(react.path, caller.signal).catch(error => error)
    await taken(dev)
    caller.abort()
    t.match(await asked, { name: 'AbortError' }, way)
    await t.resolves(vault.settled(), way)
  }
  await dev.faults.next({ on: 'formula', latency: 60_000 })
  t.equal((await react({ callback_url: dev.inbox.url })).status, 202)
  await taken(dev)
  let isSettled = false
  const settled = vault.settled().then(() => (isSettled = true))
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  t.notOk(isSettled, 'its request has ended, and it waits')
  await dev.faults.clear()
  await settled
})

t.test('clear ends the faults at work of its tenant, and a reset those of all', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const ends: Readonly<Record<string, () => Promise<void>>> = {
    clear: () => vault.dev.forTenant(tenant).faults.clear(),
    reset: () => vault.reset(),
  }
  for (const [name, end] of Object.entries(ends)) {
    const dev = vault.dev.forTenant(tenant)
    await dev.faults.next({ latency: 60_000 })
    const asked = tenant.send('GET', '/tokens')
    await taken(dev)
    let isOver = false
    void asked.then(() => (isOver = true))
    await vault.dev.forTenant(other).faults.clear()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    t.notOk(isOver, `control: ${name}`)
    await end()
    await t.resolves(asked, name)
    await t.resolves(vault.settled(), name)
  }
})

t.test('a fault that holds a request of a formula ends with the formula', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code = `module.exports = async ({ svc }) => {
    svc.tokens.create({ type: 'token', data: 1 }).catch(() => {})
    await new Promise(resolve => setTimeout(resolve, 100))
    return { raw: 'not awaited' }
  }`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application } } })
  await dev.faults.next({ operation: 'tokens.create', timeout: 'before' })
  t.match(await react({}), { status: 200, json: { raw: 'not awaited' } })
  await dev.faults.assertUsed()
  await t.resolves(vault.settled())
})
