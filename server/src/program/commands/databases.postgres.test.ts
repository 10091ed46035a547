import { randomUUID } from 'node:crypto'
import t from 'tap'
import { database, newSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { startProcess } from '../../../verify/support/process.ts'
import { refusalIn, runHere } from '../../../verify/support/run-here.ts'
import { onPostgresOnly } from '../../../verify/support/storage.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { schemaVersion } from '../../storage/engines/postgres/schema.ts'
import { openFrozen, openStore, parseStorage } from '../../storage/open.ts'
import { documentKinds } from '../../storage/port/port.ts'
import { openSource } from '../../storage/transfer/copy-store.ts'
import { beforeAll, documentsIn } from '../../storage/transfer/walk.ts'
import { keys, newStore, oldKey, open, run } from './_copying.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

t.test('servers start on a database after it was migrated', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  // In the environment, as arguments can be read by others.
  const environment = { SURROGATE_STORAGE: schema.url, SURROGATE_MASTER_KEY: masterKey }
  const run = (args: readonly string[], given: Record<string, string> = {}) =>
    runHere(args, { ...environment, ...given })
  const serve = ['--port', '0']

  const refused = async (name: string, says: RegExp, given: Record<string, string> = {}, args = serve) => {
    const { code, stdout, stderr } = await run(args, given)
    t.equal(code, 2, name)
    t.equal(stdout, '')
    if (args === serve) t.match(refusalIn(stderr), says)
    else t.match(stderr, new RegExp(`^surrogate-server: .*${says.source}.*\n$`))
    t.notMatch(stderr, /a-word-of-its-own/)
  }
  const at = (parts: Partial<URL>) => {
    const url = Object.assign(new URL(schema.url), { password: 'a-word-of-its-own' }, parts)
    return { SURROGATE_STORAGE: url.href }
  }

  await refused('a database without a schema', /run surrogate-server migrate/)
  const toDo = { code: 1, stdout: `to do: upgrade the schema from version 0 to ${schemaVersion}\n` }
  t.match(await run(['migrate', '--check']), toDo)
  t.match(await run(['migrate', '--check']), toDo, 'nothing was changed')
  t.match(await run(['migrate']), {
    code: 0,
    stdout: `the schema was upgraded from version 0 to ${schemaVersion}\n`,
  })
  t.match(await run(['migrate']), { code: 0, stdout: `the schema is already at version ${schemaVersion}\n` })

  t.match(await run(['migrate', '--check']), { code: 0, stdout: 'there is nothing to do\n' })

  await refused('no master key', /there is no master key: .* same for all servers/, {
    SURROGATE_MASTER_KEY: '',
  })
  await refused('another port', /cannot be reached/, at({ port: '1' }))
  await refused('no user of that name', /refuses the user or the password/, at({ username: 'nobody_at_all' }))
  await refused('a URL cut off', /names no database/, at({ pathname: '/' }))
  await refused('a parameter that there is not', /unknown parameter/, at({ search: '?ssl=yes' }))
  await refused('a data folder', /only databases have a schema/, { SURROGATE_STORAGE: 'level:./data' }, [
    'migrate',
  ])
  const readOnly = schema.url.replace('options=', 'options=-c%20default_transaction_read_only%3Don%20')
  await refused('a standby', /takes no writes: use the primary/, { SURROGATE_STORAGE: readOnly })
  const [one, other] = [startProcess(t, serve, environment), startProcess(t, serve, environment)]
  for (const server of [one, other]) {
    const { url } = await server.ready()
    t.equal((await fetch(`${url}/healthz`)).status, 200)
  }
  await refused('a wrong master key', /master key is not the one/, {
    SURROGATE_MASTER_KEY: Buffer.alloc(32, 8).toString('base64'),
  })
  for (const server of [one, other]) t.equal((await server.end()).code, 0)
})

t.test('a tenant is removed while servers run, and can be made again', onPostgresOnly, async t => {
  const storage = await newStore(t, 'a')
  const id = '5b493235-6917-4307-906a-2cd6f1a90b13'
  const fileOf = (key: string) => {
    const permissions = ['token:read', 'token:create']
    const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions }]
    const management = { name: 'M', type: 'management', permissions: ['application:create'] }
    const applications = [
      { id: randomUUID(), name: 'A', type: 'private', permissions: [], rules, key },
      { id: randomUUID(), ...management, key: `management-${key}` },
    ]
    return { tenants: [{ id, applications }] }
  }
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

t.test('a backup whose connection breaks fails, as the state is gone', onPostgresOnly, async t => {
  const url = await newStore(t, 'a')
  await openTenant(open(t, url, oldKey))
  const frozen = await openFrozen(url)
  t.teardown(() => frozen.close().catch(() => {}))
  const documents = documentsIn(frozen.store)
  await openSource(documents, oldKey)
  // The one that has read the table of this schema; other tests use the database, too.
  const [schema] = /test_\w+/.exec(url) ?? []
  const { rowCount } = await database().query(
    'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = $1::regclass',
    [`${schema}.documents`],
  )
  t.equal(rowCount, 1)
  for (let attempt = 0; attempt < 3; attempt++)
    await t.rejects(openSource(documents, oldKey), { name: 'StoreUnavailable' })
})
