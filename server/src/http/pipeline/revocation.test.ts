import t from 'tap'
import { newMasterKey, replacing } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { MemoryEngine } from '../../storage/engines/memory/memory-engine.ts'

t.test('what another server revokes or changes counts at once', async t => {
  const memory = new MemoryEngine()
  const masterKey = newMasterKey()
  const open = () => openVault(t, { masterKey }, { openStore: async () => replacing(memory, {}) })
  const [vault, other] = [open(), open()]
  const tenant = await openTenant(vault)
  const created = await tenant.send('POST', '/tokens', { id: 'some', type: 'token', data: 1 })
  t.equal(created.status, 201)
  const reader = await tenant.application({ permissions: ['token:read'] })
  const manage = sender(other, tenant.managementKey)
  const get = async () => (await reader('GET', '/tokens/some')).status
  for (let n = 0; n < 2; n++) t.equal(await get(), 200, 'the control')
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
