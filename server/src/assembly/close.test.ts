import t from 'tap'
import { newMasterKey, replacing } from '../../testing/stores.ts'
import { openTenant, openVault, sender } from '../../testing/vault.ts'
import { silentLog } from '../base/log.ts'
import { nextTurn } from '../base/turn.ts'
import { MemoryStore } from '../storage/engines/memory/memory-store.ts'

t.test('a vault that closes finishes the requests under way, and writes their audit entries', async t => {
  const memory = new MemoryStore()
  let goOn = () => {}
  let arrived = () => {}
  const gate = new Promise<void>(resolve => {
    goOn = resolve
  })
  const reading = new Promise<void>(resolve => {
    arrived = resolve
  })
  let isClosed = false
  const store = replacing(memory, {
    find: async (kind, ...given) => {
      if (kind === 'token') {
        arrived()
        await gate
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
  await reading
  const closing = vault.close()
  // Enough for everything that does not wait for the request.
  for (let turn = 0; turn < 1000; turn++) await nextTurn()
  t.notOk(isClosed)
  goOn()
  t.equal((await read).status, 200)
  await closing
  t.ok(isClosed)

  const next = openVault(t, options, { openStore: async () => replacing(memory, {}) })
  const { json } = await sender(next, tenant.managementKey)('GET', '/logs?entity_type=token')
  const operations = json.data.map(({ operation }: { operation: string }) => operation)
  t.same(operations.sort(), ['token:create', 'token:read'])
})
