import { join } from 'node:path'
import t, { type Test } from 'tap'
import { database, newSchema, openSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { openTenant, sender } from '../../../verify/support/vault.ts'
import { systemRandom } from '../../base/random.ts'
import { openFrozen } from '../../storage/open.ts'
import { writeBackup } from '../../storage/transfer/backup.ts'
import { openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import { backUp, fill, keys, moves, oldKey, open, restore } from './_copying.ts'
import { runCommand } from './table.ts'

async function migrated(t: Test): Promise<string> {
  const schema = newSchema(t)
  await schema.create()
  await runCommand('migrate', ['--storage', schema.url], {})
  return schema.url
}

t.test('a database is backed up and restored into a folder, and back', withPostgres, async t => {
  const folder = t.testdir()
  let count = 0
  const carry = async (from: string, to: string, environment = keys(oldKey, undefined)) => {
    const file = join(folder, `backup-${count++}`)
    t.equal((await backUp(from, file, environment)).refusal, '')
    return restore(file, to, environment)
  }
  await moves(t, [await migrated(t), `level:${folder}/a`, await migrated(t)], carry)
})

t.test('a restore says that the database needs its schema first', withPostgres, async t => {
  const folder = t.testdir()
  const [from, file, to] = [`level:${folder}/a`, join(folder, 'backup'), await openSchema(t)]
  await fill(t, from)
  t.equal((await backUp(from, file)).refusal, '')
  t.match(await restore(file, to), {
    exitCode: 2,
    refusal: /^the database of --to has no tables: run surrogate-server migrate first/,
  })
  await runCommand('migrate', ['--storage', to], {})
  t.equal((await restore(file, to)).refusal, '')
})

t.test('a backup has the state of its start, while a server writes', withPostgres, async t => {
  const folder = t.testdir()
  const url = await migrated(t)
  const { send, privateKey } = await openTenant(open(t, url, oldKey))
  const create = (id: string) => send('POST', '/tokens', { id, type: 'token', data: 1 })
  await create('before')
  const frozen = await openFrozen(url)
  t.teardown(() => frozen.close())
  await create('afterwards')
  t.equal((await send('DELETE', '/tokens/before')).status, 204)
  const file = join(folder, 'backup')
  const source = await openSource(documentsIn(frozen.store), oldKey)
  await writeBackup(source, file, systemRandom(), () => {})
  const to = `level:${folder}/restored`
  t.equal((await restore(file, to)).refusal, '')
  const get = sender(open(t, to, oldKey), privateKey)
  t.equal((await get('GET', '/tokens/before')).status, 200)
  t.equal((await get('GET', '/tokens/afterwards')).status, 404)
})

t.test(
  'a backup whose connection breaks fails: another one would read another state',
  withPostgres,
  async t => {
    const url = await migrated(t)
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
  },
)
