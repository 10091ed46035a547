import { readFileSync } from 'node:fs'
import t from 'tap'
import { database, newSchema, openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { insert, mustCommit } from '../../port/port.samples.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { migrate, schemaVersion } from './schema.ts'
import { reading } from './sql.ts'

/** An open store is closed again: only whether it opens is asked. */
const opens = async (url: string) => (await PostgresEngine.open(url)).close()

const refused = (message: RegExp) => ({ name: 'DatabaseRefused', message })

t.test('a database must be migrated before a server uses it', withPostgres, async t => {
  const url = await openSchema(t)
  await t.rejects(opens(url), refused(/has no schema of surrogate-server: run surrogate-server migrate/))
  t.same(await migrate(url), { from: 0, to: schemaVersion, placing: [] })
  await opens(url)
  const found = await migrate(url)
  t.same(found, { from: schemaVersion, to: schemaVersion, placing: [] }, 'again, it has nothing to do')
})

t.test('with `migrate`, opening creates the schema and keeps existing data', withPostgres, async t => {
  const url = await openSchema(t)
  const first = await PostgresEngine.open(url, { migrate: true })
  await mustCommit(first, [insert('a')])
  await first.close()
  const again = await PostgresEngine.open(url, { migrate: true })
  t.teardown(() => again.close())
  t.same(await again.commit([insert('a')], 1), { ok: false, conflict: { write: 0, reason: 'exists' } })
})

t.test('concurrent migrations all succeed, and one makes the schema', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const migrated = await Promise.all(Array.from({ length: 6 }, () => migrate(schema.url)))
  for (const { to } of migrated) t.equal(to, schemaVersion)
  const { rows } = await database().query(`SELECT version FROM ${schema.name}.surrogate_schema`)
  t.same(rows, [{ version: schemaVersion }])
  await opens(schema.url)
})

t.test('problems of a database are reported in one sentence', withPostgres, async t => {
  const damages: readonly [name: string, damage: string, says: RegExp, repair: string][] = [
    [
      'a newer schema',
      `INSERT INTO surrogate_schema VALUES (${schemaVersion + 1}, now())`,
      new RegExp(
        `has schema ${schemaVersion + 1}, and this server knows only ${schemaVersion}: use a server as new`,
      ),
      `DELETE FROM surrogate_schema WHERE version > ${schemaVersion}`,
    ],
    [
      'a missing table',
      'ALTER TABLE leases RENAME TO gone',
      /the table leases is missing: restore the database/,
      'ALTER TABLE gone RENAME TO leases',
    ],
  ]
  for (const [name, damage, says, repair] of damages) {
    const schema = newSchema(t)
    await schema.create()
    await migrate(schema.url)
    const change = (statement: string) =>
      database().query(`SET search_path = ${schema.name}; ${statement}; RESET search_path`)
    await change(damage)
    await t.rejects(opens(schema.url), refused(says), name)
    if (name === 'a newer schema') await t.rejects(migrate(schema.url), refused(says), name)
    await change(repair)
    await t.resolves(opens(schema.url), `${name}, put right`)
  }
})

t.test('a database that takes no writes is refused', withPostgres, async t => {
  const url = await openSchema(t)
  await migrate(url)
  const readOnly = url.replace('options=', 'options=-c%20default_transaction_read_only%3Don%20')
  await t.rejects(opens(readOnly), refused(/takes no writes: use the primary/))
  await opens(url)
})

t.test('a user without rights is refused, and told which it lacks', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  await migrate(schema.url)
  const role = schema.name.replace('test', 'role')
  const password = 'a-word-of-its-own'
  const admin = database()
  const page = readFileSync(new URL('../../../../guide/scale-out.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```sql\n(CREATE ROLE .+?)```/s.exec(page) ?? []
  const { rows } = await admin.query('SELECT current_database() AS name')
  const [create = '', connect = '', usage = '', ...grants] = shown
    .replaceAll('surrogate_server', role)
    .replace('DATABASE surrogate', `DATABASE ${rows[0].name}`)
    .replace('SCHEMA public', `SCHEMA ${schema.name}`)
    .replace('…', password)
    .split('\n')
  await admin.query(create)
  t.teardown(() => admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  const located = new URL(schema.url)
  located.username = role
  located.password = password
  const url = located.href
  await t.rejects(opens(url), refused(/has no schema of surrogate-server|lacks rights/))
  await admin.query(connect + usage)
  await t.rejects(opens(url), refused(/lacks rights on the table surrogate_schema: grant it SELECT$/))
  await t.rejects(migrate(url), refused(/may not create tables|lacks rights/))
  const inSchema = (statements: string) =>
    admin.query(`SET search_path = ${schema.name}; ${statements}; RESET search_path`)
  await inSchema(`GRANT SELECT ON surrogate_schema, documents TO ${role}; GRANT ALL ON leases TO ${role}`)
  const says =
    /lacks rights on the tables documents, blocks, uniques, collections: grant it SELECT, INSERT, UPDATE and DELETE$/
  await t.rejects(opens(url), refused(says))
  await inSchema(grants.join(''))
  const store = await PostgresEngine.open(url, { use: 'shared' })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a')])
  t.equal(store.unhealthy(), undefined)
  await store.compact()
})

t.test('a database that cannot be reached is named, without the password', withPostgres, async t => {
  const url = new URL(await openSchema(t))
  await migrate(url.href)
  url.password = 'a-word-of-its-own'
  const port = new URL(url)
  port.port = '1'
  const absent = new URL(url)
  absent.pathname = '/no_such_database'
  const attempts: readonly [URL, RegExp][] = [
    [
      port,
      /^the database \w+ at [\w.]+:1 cannot be reached: nothing listens there \(ECONNREFUSED\); does it run, on that port\?$/,
    ],
    [
      absent,
      /^there is no database no_such_database at [\w.]+:\d+: create it first$|refuses the user or the password/,
    ],
  ]
  for (const [at, says] of attempts) {
    await t.rejects(opens(at.href), refused(says))
    await t.rejects(migrate(at.href), refused(says))
  }
})

t.test(
  'a page of what is due is read from its index, without sorting all of one time',
  withPostgres,
  async t => {
    const schema = newSchema(t)
    await schema.create()
    await migrate(schema.url)
    const text = reading.due.text.replaceAll('documents', `${schema.name}.documents`)
    const planOf = async (statement: string) => {
      const results = await database().query(`BEGIN; SET LOCAL enable_sort = off;
        PREPARE due AS ${statement}; EXPLAIN EXECUTE due (1, 1, 64); DEALLOCATE due; COMMIT`)
      return JSON.stringify(results)
    }
    t.notMatch(await planOf(text), /Sort/)
    t.match(await planOf(text.replace('due_ms, tenant LIMIT', 'due_ms, tenant, id LIMIT')), /Sort/)
  },
)
