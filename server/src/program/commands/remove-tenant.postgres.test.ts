import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { openVault, sender } from '../../../verify/support/vault.ts'
import { openStore, parseStorage } from '../../storage/open.ts'
import { documentKinds } from '../../storage/port/port.ts'
import { beforeAll } from '../../storage/transfer/walk.ts'
import { keys, oldKey, run } from './_copying.ts'

t.test('a tenant is removed while servers run, and can be made again', withPostgres, async t => {
  const storage = await openSchema(t)
  await run('migrate', ['--storage', storage], {})
  const id = '5b493235-6917-4307-906a-2cd6f1a90b13'
  const application = { name: 'A', type: 'private' as const, rules: [], permissions: [] }
  const rules = [
    { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:create'] },
  ]
  const management = { name: 'M', type: 'management' as const, permissions: ['application:create'] }
  const fileOf = (key: string) => ({
    tenants: [
      {
        id,
        applications: [
          { ...application, id: randomUUID(), key, rules },
          { ...management, id: randomUUID(), key: `management-${key}` },
        ],
      },
    ],
  })
  const shared = { storage, masterKey: oldKey, dev: false }
  const first = openVault(t, { ...shared, bootstrap: fileOf('the-first-key-of-a-file') })
  await first.ready()
  const second = openVault(t, shared)
  const ask = (vault: typeof first, key: string) => sender(vault, key)
  const made = await ask(first, 'management-the-first-key-of-a-file')('POST', '/applications', {
    ...{ name: 'B', type: 'private', permissions: ['token:read'] },
  })
  t.equal(made.status, 201)
  const credentials = ['the-first-key-of-a-file', made.json.key]
  for (const vault of [first, second]) {
    for (const key of credentials) t.equal((await ask(vault, key)('GET', '/tokens')).status, 200)
    t.equal((await ask(vault, credentials[0])('POST', '/tokens', { type: 'token', data: 1 })).status, 201)
  }
  const removed = await run('remove-tenant', [id, '--storage', storage, '--yes'], keys(oldKey, undefined))
  t.match(removed, { exitCode: 0, output: /are destroyed/ })
  for (const key of credentials) t.equal((await ask(first, key)('GET', '/tokens')).status, 401)
  const store = await openStore(parseStorage(storage))
  for (const kind of documentKinds) {
    const { total } = await store.find(kind, id, { op: 'all' }, { nowMs: beforeAll, offset: 0, limit: 0 })
    t.equal(total, 0, kind)
  }
  await store.close()

  // The second server still has its keys in memory, and must not use them.
  const third = openVault(t, { ...shared, bootstrap: fileOf('the-second-key-of-a-file') })
  await third.ready()
  const again = ask(second, 'the-second-key-of-a-file')
  t.equal((await again('POST', '/tokens', { id: 'new', type: 'token', data: 2 })).status, 201)
  for (const key of credentials) t.equal((await ask(second, key)('GET', '/tokens')).status, 401)
  const found = await ask(third, 'the-second-key-of-a-file')('GET', '/tokens/new')
  t.equal(found.json.data, 2, 'it opens under the new keys')
})
