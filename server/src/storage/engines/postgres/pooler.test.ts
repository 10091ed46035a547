import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startPgBouncer, withoutPgBouncer } from '../../../../verify/support/postgres/pgbouncer.ts'
import { database, openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { runStoreCases } from '../../port/port.cases.ts'
import { get, insert, mustCommit } from '../../port/port.samples.ts'
import { openPool } from './connect.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { migrate, planMigration } from './schema.ts'

const withPooler = withoutPgBouncer === undefined ? withPostgres : { skip: withoutPgBouncer }

/** As some deployments have it: the limits that a connection asks for are ignored, not refused. */
const ignoring = { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' }

/** Returns the URL of an empty database. PgBouncer of Debian does not pass on the search path of a URL. */
async function newDatabase(t: Test): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = database()
  await admin.query(`CREATE DATABASE ${name}`)
  t.teardown(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`))
  return Object.assign(new URL(await openSchema(t)), { pathname: `/${name}`, search: '' }).href
}

const refused = (message: RegExp) => ({ name: 'DatabaseRefused', message })
const noSessions =
  /^the pooler .+ \(pool_mode = transaction\): use the direct URL of the database, or a pooler in session mode$/

t.test('behind a pooler in session mode the engine passes the cases of the port', withPooler, async t => {
  const direct = await newDatabase(t)
  const opened = new WeakMap<object, string>()
  // Every store of the cases is a database of its own.
  const viaPooler = await startPgBouncer(t, direct, 'session', { default_pool_size: '100' })
  const open = async (pathname?: string) => {
    const path = pathname ?? new URL(await newDatabase(t)).pathname
    const store = await PostgresEngine.open(Object.assign(new URL(viaPooler), { pathname: path }).href, {
      migrate: true,
    })
    opened.set(store, path)
    return store
  }
  const reopen = async (store: Awaited<ReturnType<typeof open>>) => {
    await store.close()
    return open(opened.get(store))
  }
  runStoreCases(t, () => open(), {
    sharesTime: true,
    reopen: store => reopen(store as PostgresEngine),
  })
})

for (const [name, settings] of [
  ['refuses', {}],
  ['ignores', ignoring],
] as const) {
  t.test(`a pooler in session mode that ${name} limits: they hold, servers are seen`, withPooler, async t => {
    const url = await startPgBouncer(t, await newDatabase(t), 'session', settings)
    t.match(await migrate(url), { from: 0 })
    const server = await PostgresEngine.open(url, { use: 'shared' })
    t.teardown(() => server.close())
    await mustCommit(server, [insert(1)])
    await t.rejects(PostgresEngine.open(url, { use: 'alone' }), refused(/is in use/))
    await server.compact()
    const { pool } = openPool(url, () => {}, {}, true)
    t.teardown(() => pool.end())
    const { rows } = await pool.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`,
    )
    t.same(rows, [{ statement: '1min', idle: '10s' }])
    t.equal((await get(server, 1))[0]?.version, 1)
  })

  t.test(`a pooler in transaction mode that ${name} limits is refused, keeps none`, withPooler, async t => {
    const direct = await newDatabase(t)
    await migrate(direct)
    const control = await PostgresEngine.open(direct, { use: 'shared' })
    await control.close()
    for (const [mode, more] of [
      ['transaction', {}],
      ['transaction', { server_round_robin: '1', min_pool_size: '2' }],
      ['statement', {}],
    ] as const) {
      const url = await startPgBouncer(t, direct, mode, { ...settings, ...more })
      // Two connections to the database, in any order.
      const others = [new pg.Client(url), new pg.Client(url)]
      for (const other of others) await other.connect()
      await Promise.all(others.map(other => other.query('SELECT pg_sleep(0.01)')))
      await t.rejects(PostgresEngine.open(url, { use: 'shared' }), refused(noSessions), mode)
      await t.rejects(PostgresEngine.open(url, { use: 'alone' }), refused(noSessions), mode)
      await t.rejects(migrate(url), refused(noSessions), mode)
      await t.rejects(planMigration(url), refused(noSessions), mode)
      for (const other of others) {
        const { rows } = await other.query('SHOW statement_timeout')
        t.same(rows, [{ statement_timeout: '0' }], 'other clients of the pooler keep their sessions')
        await other.end()
      }
    }
  })
}

t.test('a pooler that does not pass on the search path of a URL is refused', withPooler, async t => {
  const url = await startPgBouncer(t, await openSchema(t), 'session')
  await t.rejects(
    PostgresEngine.open(url),
    refused(/does not pass on the parameter options: use the direct URL/),
  )
})
