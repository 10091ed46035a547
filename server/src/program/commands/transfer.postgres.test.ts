import { join } from 'node:path'
import t, { type Test } from 'tap'
import { database, newSchema, openSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { dyingAfter } from '../../../verify/support/stores.ts'
import { openTenant, sender } from '../../../verify/support/vault.ts'
import { systemRandom } from '../../base/random.ts'
import { openFrozen, openStore, parseStorage } from '../../storage/open.ts'
import { writeBackup } from '../../storage/transfer/backup.ts'
import { copyStore, openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import {
  almost,
  backUp,
  copy,
  fill,
  keys,
  moves,
  newKey,
  oldKey,
  open,
  read,
  restore,
  run,
} from './_copying.ts'

/** A database with the schema of a store, and nothing in it. */
async function migrated(t: Test, schema = newSchema(t)): Promise<string> {
  await schema.create()
  t.equal((await run('migrate', ['--storage', schema.url], {})).refusal, '')
  return schema.url
}

t.test('a vault is copied into a database, another one, and a folder', withPostgres, async t => {
  const folder = t.testdir()
  await moves(t, [`level:${folder}/a`, await migrated(t), await migrated(t), `level:${folder}/b`])
})

t.test('a copy into a database that was interrupted anywhere can be continued', withPostgres, async t => {
  const folder = `level:${t.testdir()}/a`
  const apiKey = await fill(t, folder)
  for (const commits of [1, 2, 3, 5]) {
    const url = await migrated(t)
    const [from, to] = [await openStore(parseStorage(folder)), await openStore(parseStorage(url))]
    const random = systemRandom()
    const source = await openSource(documentsIn(from), oldKey)
    const dying = { store: dyingAfter(to, commits), masterKey: newKey }
    await t.rejects(copyStore({ from: source, to: dying, random, nowUs: 1, batchSize: 3 }), {
      name: 'StoreUnavailable',
    })
    await from.close()
    await to.close()
    await t.rejects(read(t, url, newKey, apiKey), { name: 'UnfinishedCopy' })
    t.match(
      (await copy(folder, url)).output,
      commits > 1 ? /, \d+ were there before; all were read back/ : /copied; all were/,
    )
    t.equal(await read(t, url, newKey, apiKey), 'as it was 1')
  }
})

t.test('a row that differs from the source is reported by its address', withPostgres, async t => {
  const folder = `level:${t.testdir()}/a`
  await fill(t, folder)
  const changes: Record<string, RegExp> = {
    'UPDATE SCHEMA.documents SET box = set_byte(box, 40, get_byte(box, 40) # 1) WHERE id = $1':
      /ADDRESS is missing or differs; empty/,
    'UPDATE SCHEMA.documents SET terms = substring(terms FROM 17) WHERE id = $1':
      /ADDRESS is missing or differs; empty/,
    'DELETE FROM SCHEMA.documents WHERE id = $1': / is missing/,
  }
  for (const [change, says] of Object.entries(changes)) {
    const schema = newSchema(t)
    await migrated(t, schema)
    await almost(t, folder, schema.url)
    const { rows } = await database().query(
      `SELECT id, tenant FROM ${schema.name}.documents WHERE length(terms) > 16 ORDER BY created_us LIMIT 1`,
    )
    const [{ id, tenant }] = rows
    const { rowCount } = await database().query(change.replace('SCHEMA', schema.name), [id])
    t.equal(rowCount, 1)
    const { refusal, exitCode } = await copy(folder, schema.url)
    const address = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
    t.match(refusal.replace(`${tenant}/${address}`, 'ADDRESS'), says)
    t.equal(exitCode, 2)
  }
})

t.test('a database that cannot be copied is refused in one sentence', withPostgres, async t => {
  const folder = `level:${t.testdir()}/a`
  await fill(t, folder)
  const [bare, full, empty] = [await openSchema(t), await migrated(t), await migrated(t)]
  t.equal((await copy(folder, full)).exitCode, 0)
  const gone = 'postgres://u:canary@127.0.0.1:1/d'
  const both = keys(oldKey, newKey)
  const other = keys(newKey, oldKey)
  for (const [from, to, sentence, environment] of [
    [folder, gone, /^the database d at 127\.0\.0\.1:1 cannot be reached: nothing listens there .*$/, both],
    [gone, folder, /cannot be reached: nothing listens/, both],
    [folder, bare, /^the database of --to has no tables: run surrogate-server migrate first/, both],
    [bare, empty, /migrate/, both],
    [folder, full, /^the destination holds data already/, both],
    [full, full, /^--from and --to are the same store/, other],
    [full, `${full}&pool=3`, /^--from and --to are the same store/, other],
    [empty, full, /^the source has no keys yet/, both],
    [full, empty, /^there is no master key: set SURROGATE_MASTER_KEY/, {}],
  ] as const) {
    const { refusal } = await copy(from, to, environment)
    t.match(refusal, sentence, `${from} to ${to}`)
    t.notMatch(refusal, /canary|\n/)
  }
  t.equal((await copy(full, empty, keys(newKey, undefined))).exitCode, 0, 'the control')
})

t.test('an earlier state of a row is found in a copy, by the audit log', withPostgres, async t => {
  const schema = newSchema(t)
  await migrated(t, schema)
  const apiKey = await fill(t, schema.url)
  const folder = t.testdir()
  const ask = async (sql: string, ...values: unknown[]) =>
    (await database().query(sql.replace('documents', `${schema.name}.documents`), values)).rows
  const verified = async (name: string) => {
    t.equal((await copy(schema.url, `level:${folder}/${name}`)).refusal, '')
    return run('reindex', ['--storage', `level:${folder}/${name}`], keys(newKey, undefined))
  }
  const [row] = await ask('SELECT * FROM documents WHERE kind = 111 ORDER BY created_us LIMIT 1')
  const vault = open(t, schema.url, oldKey)
  const send = sender(vault, apiKey)
  const [{ id }] = (await send('GET', '/tokens?page=3&size=1')).json.data
  t.equal((await send('PATCH', `/tokens/${id}`, { data: 'revoked' })).status, 200)
  await vault.close()
  t.match((await verified('a')).output, /was built\n$/, 'control')

  await ask(
    'UPDATE documents SET version = $1, modified_us = $2, terms = $3, box = $4 WHERE tenant = $5 AND kind = 111 AND id = $6',
    ...[row.version, row.modified_us, row.terms, row.box, row.tenant, row.id],
  )
  const again = open(t, schema.url, oldKey)
  const found = await sender(again, apiKey)('GET', `/tokens/${id}`)
  t.match(found.json.data, /^as it was/, 'a server does not ask the log')
  await again.close()
  t.match((await verified('b')).refusal, /^1 tokens are in a state that the audit log says was changed/)
})

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
  t.equal((await run('migrate', ['--storage', to], {})).refusal, '')
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
