import pg from 'pg'
import t, { type Test } from 'tap'
import { database, newSchema, openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { insert, mustCommit } from '../../port/port.samples.ts'
import { type Migration, migrations } from './migrations.ts'
import { PostgresStore } from './postgres-store.ts'
import { migrate, schemaVersion } from './schema.ts'

/** An open store is closed again: only whether it opens is asked. */
const opens = async (url: string) => (await PostgresStore.open(url)).close()

const refused = (message: RegExp) => ({ name: 'DatabaseRefused', message })

t.test('a database must be migrated before a server uses it', withPostgres, async t => {
  const url = await openSchema(t)
  await t.rejects(opens(url), refused(/has no schema of surrogate-server: run surrogate-server migrate/))
  t.same(await PostgresStore.migrate(url), { from: 0, to: schemaVersion })
  await opens(url)
  t.same(
    await PostgresStore.migrate(url),
    { from: schemaVersion, to: schemaVersion },
    'again, it has nothing to do',
  )
})

t.test('with `migrate`, opening creates the schema and keeps existing data', withPostgres, async t => {
  const url = await openSchema(t)
  const first = await PostgresStore.open(url, { migrate: true })
  await mustCommit(first, [insert('a')])
  await first.close()
  const again = await PostgresStore.open(url, { migrate: true })
  t.teardown(() => again.close())
  t.same(await again.commit([insert('a')], 1), { ok: false, conflict: { write: 0, reason: 'exists' } })
})

t.test('concurrent migrations all succeed, and each step is done once', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const migrated = await Promise.all(Array.from({ length: 6 }, () => PostgresStore.migrate(schema.url)))
  for (const { to } of migrated) t.equal(to, schemaVersion)
  const { rows } = await database().query(
    `SELECT DISTINCT abs(version) AS version FROM ${schema.name}.surrogate_schema ORDER BY version`,
  )
  t.same(
    rows.map(({ version }) => version),
    Array.from({ length: schemaVersion }, (_, at) => at + 1),
  )
  await opens(schema.url)
})

t.test('a database with tokens that searches would not find is not migrated', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  await PostgresStore.migrate(schema.url)
  const change = (statement: string) =>
    database().query(`SET search_path = ${schema.name}; ${statement}; RESET search_path`)
  const tenant = `'${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}'`
  await change(`DELETE FROM surrogate_schema WHERE abs(version) > 1;
                DROP TABLE blocks, term_blocks, folded_terms, stale_documents;
                ALTER TABLE collections DROP folded_us, DROP unfolded, DROP known_stamps, DROP known_documents;
                INSERT INTO collections VALUES (${tenant}, 6, 1, 1, 1)`)
  await t.rejects(PostgresStore.migrate(schema.url), refused(/several containers, .*reindex --repair/))
  await t.rejects(opens(schema.url), refused(/has schema 1, and this server needs \d/))
  await change('UPDATE collections SET documents = 0')
  t.same(await PostgresStore.migrate(schema.url), { from: 1, to: schemaVersion })
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
      'an older schema',
      `DELETE FROM surrogate_schema WHERE abs(version) = ${schemaVersion}`,
      new RegExp(
        `has schema ${schemaVersion - 1}, and this server needs ${schemaVersion}: run surrogate-server migrate`,
      ),
      `INSERT INTO surrogate_schema VALUES (${schemaVersion}, now())`,
    ],
    [
      'a missing search index',
      'DROP INDEX documents_terms',
      /search index documents_terms is missing .*CREATE INDEX documents_terms ON documents USING gin/,
      'CREATE INDEX documents_terms ON documents USING gin (terms)',
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
    await PostgresStore.migrate(schema.url)
    const change = (statement: string) =>
      database().query(`SET search_path = ${schema.name}; ${statement}; RESET search_path`)
    await change(damage)
    await t.rejects(opens(schema.url), refused(says), name)
    await change(repair)
    await t.resolves(opens(schema.url), `${name}, put right`)
  }
})

t.test('a database that takes no writes is refused', withPostgres, async t => {
  const url = await openSchema(t)
  await PostgresStore.migrate(url)
  const readOnly = url.replace('options=', 'options=-c%20default_transaction_read_only%3Don%20')
  await t.rejects(opens(readOnly), refused(/takes no writes: use the primary/))
  await opens(url)
})

t.test('a user without rights is refused, and told which it lacks', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  await PostgresStore.migrate(schema.url)
  const role = schema.name.replace('test', 'role')
  const password = 'a-word-of-its-own'
  const admin = database()
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
  t.teardown(() => admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  const located = new URL(schema.url)
  located.username = role
  located.password = password
  const url = located.href
  await t.rejects(opens(url), refused(/has no schema of surrogate-server|lacks rights/))
  await admin.query(`GRANT USAGE ON SCHEMA ${schema.name} TO ${role}`)
  await t.rejects(opens(url), refused(/lacks rights on the table surrogate_schema/))
  await t.rejects(PostgresStore.migrate(url), refused(/may not create tables|lacks rights/))
  await admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema.name} TO ${role}`)
  await t.rejects(opens(url), refused(/lacks rights on the table documents: grant it SELECT, INSERT/))
  await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema.name} TO ${role}`)
  const store = await PostgresStore.open(url)
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a')])
  t.equal(store.unhealthy(), undefined)
  await store.compact()
})

t.test('a database that cannot be reached is named, without the password', withPostgres, async t => {
  const url = new URL(await openSchema(t))
  await PostgresStore.migrate(url.href)
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
    await t.rejects(PostgresStore.migrate(at.href), refused(says))
  }
})

/** Opens a migrated database, as a later version of the server would migrate it. */
async function openLater(t: Test) {
  const url = await openSchema(t)
  await PostgresStore.migrate(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  const migrateLater = (...later: readonly Migration[]) => migrate(client, [...migrations, ...later])
  return { url, client, migrateLater }
}

const adding: Migration = { statements: ['CREATE TABLE added (n integer)'], oldest: schemaVersion }

t.test('a server starts on a later schema that only adds to its own', withPostgres, async t => {
  const { url, migrateLater } = await openLater(t)
  const later = schemaVersion + 1
  t.same(await migrateLater(adding), { from: schemaVersion, to: later })
  await opens(url)
  t.same(await PostgresStore.migrate(url), { from: later, to: later }, 'and has nothing to migrate')
  t.same(await migrateLater(adding), { from: later, to: later }, 'nor has the later one')

  const other = await openLater(t)
  await other.migrateLater({ statements: adding.statements })
  const newer = refused(new RegExp(`has schema ${later}, and this server knows only ${schemaVersion}: `))
  await t.rejects(opens(other.url), newer, 'any other step it has to know')
  await t.rejects(PostgresStore.migrate(other.url), newer)
})

t.test('a step may require that servers know an earlier one', withPostgres, async t => {
  const { url, migrateLater } = await openLater(t)
  await migrateLater(adding)
  await opens(url)
  const removing: Migration = { statements: ['DROP TABLE added'], oldest: schemaVersion + 1 }
  t.same(await migrateLater(adding, removing), { from: schemaVersion + 1, to: schemaVersion + 2 })
  const sentence = `has schema ${schemaVersion + 1}, and this server knows only ${schemaVersion}: `
  await t.rejects(opens(url), refused(new RegExp(sentence)))
})

t.test('a step in batches commits each, and goes on where it was interrupted', withPostgres, async t => {
  const { url, client, migrateLater } = await openLater(t)
  await client.query('CREATE TABLE rows (n integer PRIMARY KEY, filled integer)')
  await client.query('INSERT INTO rows SELECT n, NULL FROM generate_series(1, 10) AS n')
  const filled = async () =>
    Number((await client.query('SELECT count(filled) AS filled FROM rows')).rows[0].filled)
  const batch = (more: string): Migration => ({
    statements: [
      `UPDATE rows SET filled = n ${more} WHERE n IN (SELECT n FROM rows WHERE filled IS NULL ORDER BY n LIMIT 4)`,
    ],
    oldest: schemaVersion,
    repeats: true,
  })
  await t.rejects(migrateLater(batch('/ (6 - n)')), /division by zero/)
  t.equal(await filled(), 4, 'the first batch is there')
  t.same(await PostgresStore.migrate(url), { from: schemaVersion, to: schemaVersion }, 'the step is not done')
  t.same(await migrateLater(batch('')), { from: schemaVersion, to: schemaVersion + 1 })
  t.equal(await filled(), 10)
  await opens(url)
})
