import t, { type Test } from 'tap'
import { openVault } from '../../verify/support/vault.ts'
import type { Vault } from '../vault.ts'

const id = '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c11'
const application = '2b0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c12'
const key = 'key_prv_of_the_bootstrap'
const rule = { priority: 1, container: '/', transform: 'reveal' }
const bootstrap = {
  tenants: [
    {
      id,
      name: 'Shop',
      applications: [
        {
          ...{ id: application, name: 'Backend', type: 'private', key, permissions: [] },
          rules: [{ ...rule, permissions: ['token:create', 'token:read', 'token:search'] }],
        },
      ],
    },
  ],
}

for (const where of ['the engine of this run', 'LevelDB']) {
  t.test(`on ${where}, requests beside resets see what was before or what is after`, async t => {
    const storage = where === 'LevelDB' ? { storage: `level:${t.testdir()}` } : {}
    await besideResets(t, openVault(t, { bootstrap, ...storage }))
  })
}

async function besideResets(t: Test, vault: Vault): Promise<void> {
  const send = async (method: string, path: string, body?: object) => {
    const { status } = await vault.fetch(`http://vault${path}`, {
      method,
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
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
  t.same(
    [...found].filter(one => !/ (20[01]|404|409)$/.test(one)),
    [],
  )
  t.ok(found.has('POST /tokens 201'), 'the control')
}
