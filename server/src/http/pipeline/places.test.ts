import t, { type Test } from 'tap'
import { openTestStore } from '../../../verify/support/storage.ts'
import { replacing } from '../../../verify/support/stores.ts'
import { openTenant, openVault, type Reply, sender } from '../../../verify/support/vault.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import { placeLimits } from '../../base/limits.ts'

const { running } = placeLimits.long
const pass = async () => {
  for (let turn = 0; turn < 50; turn++) await nextTurn()
}

/** A vault whose searches wait until a test lets them go on. */
async function openSlowVault(t: Test) {
  const store = await openTestStore(t)
  const waiting: (() => void)[] = []
  let searches = 0
  const slow = replacing(store, {
    find: async (kind, ...rest) => {
      if (kind === 'token') {
        searches++
        await new Promise<void>(resolve => waiting.push(resolve))
      }
      return store.find(kind, ...rest)
    },
  })
  const vault = openVault(t, {}, { openStore: async () => slow })
  const tenant = await openTenant(vault)
  return { vault, tenant, searches: () => searches, end: () => waiting.shift()?.() }
}

t.test('a session has half of the places of its tenant, and absent callers give theirs back', async t => {
  const { vault, tenant, searches, end } = await openSlowVault(t)
  const { json: session } = await tenant.asPublic('POST', '/sessions')
  const grant = { nonce: session.nonce, permissions: ['token:read'] }
  t.equal((await tenant.send('POST', '/sessions/authorize', grant)).status, 200)
  const callers = Array.from({ length: running }, () => {
    const leaving = new AbortController()
    const init = { headers: { 'SVC-API-KEY': session.session_key }, signal: leaving.signal }
    return { leaving, response: vault.fetch('http://vault/tokens', init) }
  })
  await pass()
  t.equal(searches(), running / 2)
  const own = tenant.send('GET', '/tokens')
  await pass()
  t.equal(searches(), running / 2 + 1, 'another caller of the tenant finds room')
  const [stays, ...leave] = callers.slice(running / 2)
  for (const { leaving, response } of leave) {
    leaving.abort()
    await t.rejects(response)
  }
  const rest = [...callers.slice(0, running / 2), stays]
  const done = Promise.all([own, ...rest.map(one => one?.response as Promise<Response>)])
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  while (!isDone) {
    end()
    await nextTurn()
  }
  const statuses = (await done).map(({ status }) => status)
  t.same(statuses, Array(running / 2 + 2).fill(200))
  t.equal(searches(), running / 2 + 2, 'nothing was searched for those that left')
})

t.test('a formula does not wait for a place while its caller holds one', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { json: formula } = await tenant.asManagement('POST', '/reactor-formulas', {
    ...{ name: 'F', type: 'private', configuration: [], request_parameters: [] },
    code: 'module.exports = async ({ svc }) => ({ raw: (await svc.tokens.list()).pagination.total_items })',
  })
  const application = await tenant.application({ permissions: ['token:read'] })
  const { json: reactor } = await tenant.asManagement('POST', '/reactors', {
    ...{ name: 'R', configuration: {}, formula: { id: formula.id }, application: { id: application.id } },
  })
  const path = `/reactors/${reactor.id}/react`
  const replies: Reply[] = await Promise.all(
    Array.from({ length: 3 }, () => sender(vault, tenant.privateKey)('POST', path, {})),
  )
  const found = replies.map(({ status, json }) => [status, json.raw])
  t.same(found, Array(3).fill([200, 0]))
})
