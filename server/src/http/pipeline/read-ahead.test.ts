import t, { type Test } from 'tap'
import { newMasterKey, replacing } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import { openAuthorized } from '../../sessions/_fixture.ts'
import { MemoryStore } from '../../storage/engines/memory/memory-store.ts'

/** A store like a database: reads that are asked for in one turn share a round trip. */
function remoteStore() {
  const memory = new MemoryStore()
  const seen = { rounds: 0 }
  let round: Promise<void> | undefined
  const store = replacing(memory, {
    get: async (...given) => {
      round ??= nextTurn().then(() => {
        seen.rounds++
        round = undefined
      })
      await round
      return memory.get(...given)
    },
  })
  return { store, seen }
}

const masterKey = newMasterKey()

async function twoServers(t: Test) {
  const { store, seen } = remoteStore()
  const open = () => openVault(t, { masterKey }, { openStore: async () => store })
  const [vault, other] = [open(), open()]
  const tenant = await openTenant(vault)
  const body = { id: 'some', type: 'token', data: 1, containers: ['/a/'] }
  const reply = await tenant.send('POST', '/tokens', body)
  if (reply.status !== 201) throw new Error(reply.text)
  const roundsOf = async (task: () => Promise<{ readonly status: number }>) => {
    const before = seen.rounds
    const { status } = await task()
    return { status, rounds: seen.rounds - before }
  }
  return { vault, other, tenant, roundsOf }
}

t.test('key, application and token are one round trip, once the key has been seen', async t => {
  const { tenant, roundsOf, other } = await twoServers(t)
  const reader = await tenant.application({ permissions: ['token:read'] })
  const get = () => reader('GET', '/tokens/some')
  t.same(await roundsOf(get), { status: 200, rounds: 2 }, 'the control: the key is new to this process')
  t.same(await roundsOf(get), { status: 200, rounds: 1 })
  t.same(await roundsOf(() => reader('GET', '/tokens/nothing')), { status: 404, rounds: 1 })
  const escaped = await roundsOf(() => reader('GET', '/tokens/s%6Fme'))
  t.equal(escaped.status, 200, 'another spelling is read by its id')
  const elsewhere = sender(other, reader.key)
  await elsewhere('GET', '/tokens/some')
  t.same(await roundsOf(() => elsewhere('GET', '/tokens/some')), { status: 200, rounds: 1 })
})

t.test('a session takes one round trip too', async t => {
  const { tenant, roundsOf } = await twoServers(t)
  const session = await openAuthorized(tenant, { permissions: ['token:read'] })
  const get = () => session.send('GET', '/tokens/some')
  await get()
  t.same(await roundsOf(get), { status: 200, rounds: 1 })
})

t.test('what another server revokes or changes counts at once', async t => {
  const { tenant, other } = await twoServers(t)
  const reader = await tenant.application({ permissions: ['token:read'] })
  const manage = sender(other, tenant.managementKey)
  const get = async () => (await reader('GET', '/tokens/some')).status
  t.same([await get(), await get()], [200, 200], 'the control')
  const change = async (permissions: string[]) => {
    const reply = await manage('PUT', `/applications/${reader.id}`, { name: 'Test', permissions })
    if (reply.status !== 200) throw new Error(reply.text)
  }
  await change(['token:create'])
  t.equal(await get(), 403)
  await change(['token:read'])
  t.equal(await get(), 200)
  t.equal((await manage('DELETE', `/applications/${reader.id}`)).status, 204)
  t.equal(await get(), 401)
})
