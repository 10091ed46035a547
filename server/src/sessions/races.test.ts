import t from 'tap'
import { enginesToTry, openTestStore } from '../../verify/support/storage.ts'
import { interruptible, newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import type { OpenEngine, Write } from '../storage/port/port.ts'
import { openSession } from './_fixture.ts'

const grants = ['token:read', 'token:create', 'token:update', 'token:delete', 'token:search', 'token:use']

for (const engine of enginesToTry) {
  t.test(`of many that use one nonce at once, one succeeds (${engine})`, async t => {
    const store = engine === 'level' ? await LevelEngine.open(t.testdir()) : await openTestStore(t)
    const masterKey = newMasterKey()
    // Two processes on one store, so that nothing in memory can decide it.
    const vaults = [1, 2].map(() => openVault(t, { masterKey }, { openStore: async () => unclosed(store) }))
    t.teardown(() => store.close())
    const [first, second] = vaults
    if (!first || !second) throw new Error('two vaults')
    const tenant = await openTenant(first)
    const senders = vaults.map(vault => sender(vault, tenant.privateKey))
    for (let round = 0; round < 5; round++) {
      const session = await openSession(tenant)
      const replies = await Promise.all(
        [...grants, ...grants].map((permission, index) =>
          session.authorize({ permissions: [permission] }, senders[index % 2]),
        ),
      )
      const statuses = replies.map(({ status }) => status).sort()
      t.same(statuses, [200, ...Array(11).fill(409)])
      const winner = grants[replies.findIndex(({ status }) => status === 200) % grants.length]
      const tried: [string, number][] = [
        ['token:read', (await session.send('GET', '/tokens')).status],
        ['token:create', (await session.send('POST', '/tokens', { type: 'token', data: 1 })).status],
        ['token:update', (await session.send('PATCH', '/tokens/missing', {})).status],
        ['token:delete', (await session.send('DELETE', '/tokens/missing')).status],
        ['token:use', (await session.send('POST', '/detokenize', {})).status],
      ]
      for (const [permission, status] of tried) t.equal(status !== 403, permission === winner, permission)
    }
    const log = await tenant.asManagement('GET', '/logs?entity_type=session')
    t.equal(log.json.pagination.total_items, 10, 'five were created and five authorized')
  })
}

function unclosed(store: OpenEngine): OpenEngine {
  return replacing(store, { close: async () => {} })
}

t.test('an authorization that races a change of its application holds what is left of it', async t => {
  const isAuthorization = ({ kind, type }: Write) => kind === 'session' && type === 'replace'
  const { store, before } = interruptible(await openTestStore(t), isAuthorization)
  const tenant = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const own = await tenant.application({ permissions: ['token:read'] })
  const path = `/applications/${own.id}`

  const narrowed = await openSession(tenant)
  before(() => tenant.asManagement('PUT', path, { name: 'x', permissions: ['token:delete'] }))
  const reply = await narrowed.authorize({ permissions: ['token:read'] }, own)
  t.equal(reply.status, 403, 'no longer its to grant')

  const orphaned = await openSession(tenant)
  before(() => tenant.asManagement('DELETE', path))
  t.equal((await orphaned.authorize({ permissions: ['token:delete'] }, own)).status, 401)
  const answer = await orphaned.authorize({ permissions: ['token:delete'] })
  t.equal(answer.status, 200, 'the nonce is still good')
})

t.test('a session that is created while its application is deleted does not come to be', async t => {
  const { store, before } = interruptible(await openTestStore(t), ({ kind }) => kind === 'session')
  const tenant = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const page = await tenant.application({ permissions: ['token:create'] }, 'public')
  t.equal((await page('POST', '/sessions')).status, 201)
  const changed = { name: 'x', permissions: ['token:update'] }
  before(() => tenant.asManagement('PUT', `/applications/${page.id}`, changed))
  t.equal((await page('POST', '/sessions')).status, 201, 'a change of it is nothing to fail over')
  before(() => tenant.asManagement('DELETE', `/applications/${page.id}`))
  t.equal((await page('POST', '/sessions')).status, 401)
  const left = await store.find('session', tenant.tenantId, { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 })
  t.equal(left.total, 0)
})
