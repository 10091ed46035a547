import pg from 'pg'
import t from 'tap'
import { database, openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { type Fault, type Moment, openTcpProxy } from '../../../../verify/support/tcp-proxy.ts'
import { get, insert } from '../../port/port.samples.ts'
import { StoreUnavailable } from '../../port/port.ts'
import { endless, once, openPool } from './connect.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { Pulse } from './pulse.ts'
import { disableTimeout, timeAndState } from './sql.ts'

type Teardown = { teardown(task: () => unknown): void }

const commitSent: Moment = { at: 'before sending', pattern: /COMMIT\0/ }
const commitDone: Moment = { at: 'before answering', pattern: /COMMIT\0/ }

/** Short where nothing else ends the wait, and long enough for a busy machine. */
const patience = (fault: Fault) => (fault === 'freeze' ? { answerMs: 2500 } : {})

/** The database releases locks of a silent connection before a waiter's timeout. */
const silence = (fault: Fault) =>
  fault === 'freeze' ? '%20-c%20idle_in_transaction_session_timeout%3D1000' : ''

/** A store behind a proxy, and another one that reaches the database as it is. */
async function open(t: Teardown, fault: Fault = 'cut') {
  const url = `${await openSchema(t)}${silence(fault)}`
  const proxy = await openTcpProxy(t, Number(new URL(url).port))
  const direct = await PostgresEngine.open(url, { migrate: true })
  const store = await PostgresEngine.open(proxy.via(url), patience(fault))
  t.teardown(() => Promise.all([store.close(), direct.close()]))
  const has = async (id: number) => (await get(direct, id))[0] !== undefined
  return { proxy, store, has }
}

for (const fault of ['cut', 'freeze'] as const) {
  for (const [name, moment, happened] of [
    ['before its end reaches the database', commitSent, false],
    ['behind its end, before the answer comes back', commitDone, true],
  ] as const) {
    t.test(`${fault}: a commit is all or nothing ${name}`, withPostgres, async t => {
      const { proxy, store, has } = await open(t, fault)
      t.match(await store.commit([insert(1)], 1), { ok: true })
      const struck = proxy.strike(fault, moment)
      const group = [store.commit([insert(2), insert(3)], 2), store.commit([insert(4)], 3)]
      for (const commit of group) await t.rejects(commit, StoreUnavailable)
      await struck
      // Another transaction stands in line behind what the database still has of this one, and so tells its end.
      t.match(await store.commit([insert(5)], 4), { ok: true }, 'the next one has another connection')
      t.same(await Promise.all([2, 3, 4].map(has)), [happened, happened, happened])
    })
  }

  t.test(`${fault}: a read fails and the next one does not`, withPostgres, async t => {
    const { proxy, store } = await open(t, fault)
    await store.commit([insert(1)], 1)
    const struck = proxy.strike(fault, { at: 'before answering', pattern: /./s })
    await t.rejects(get(store, 1), StoreUnavailable)
    await struck
    const [found] = await get(store, 1)
    t.equal(found?.version, 1)
  })
}

t.test('a store whose connections are all cut says so until it is connected again', withPostgres, async t => {
  const { proxy, store } = await open(t)
  await store.commit([insert(1)], 1)
  t.equal(store.unhealthy(), undefined)
  proxy.down()
  await t.rejects(store.commit([insert(2)], 2), StoreUnavailable)
  t.equal(store.unhealthy(), 'the database does not answer')
  proxy.restore()
  t.match(await store.commit([insert(2)], 2), { ok: true })
})

t.test('a database that refuses our user is unavailable until it takes it again', withPostgres, async t => {
  const url = new URL(await openSchema(t))
  const [admin, schema] = [database(), decodeURIComponent(url.search).split('=').at(-1)]
  const name = `${schema}_role`
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'first'`)
  await admin.query(`CREATE DATABASE ${name}`)
  t.teardown(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.query(`DROP ROLE ${name}`)
  })
  const inDatabase = Object.assign(new URL(url), { pathname: `/${name}` })
  const owner = new pg.Pool({ connectionString: inDatabase.href })
  await owner.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${name}`)
  await owner.end()
  const store = await PostgresEngine.open(
    Object.assign(new URL(inDatabase), { username: name, password: 'first' }).href,
    { migrate: true },
  )
  t.teardown(() => store.close())
  await store.commit([insert(1)], 1)
  const cut = () =>
    admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  /** In that database, as its superuser. */
  const inside = async (text: string) => {
    const client = new pg.Client({ connectionString: inDatabase.href })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  const globally = async (text: string) => {
    await admin.query(text)
    await cut()
  }
  for (const [run, refuse, accept, reason] of [
    [
      globally,
      `ALTER ROLE ${name} PASSWORD 'second'`,
      `ALTER ROLE ${name} PASSWORD 'first'`,
      /its password$/,
    ],
    [globally, `ALTER ROLE ${name} NOLOGIN`, `ALTER ROLE ${name} LOGIN`, /^the database refuses our user/],
    [
      globally,
      `ALTER ROLE ${name} VALID UNTIL '2020-01-01'`,
      `ALTER ROLE ${name} VALID UNTIL 'infinity'`,
      /its password$/,
    ],
    [
      globally,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
      /^the database accepts no connections$/,
    ],
    [
      inside,
      `REVOKE ALL ON ${schema}.documents FROM ${name}`,
      `GRANT ALL ON ${schema}.documents TO ${name}`,
      /lacks rights/,
    ],
    [
      inside,
      `REVOKE ALL ON SCHEMA ${schema} FROM ${name}`,
      `GRANT ALL ON SCHEMA ${schema} TO ${name}`,
      /no schema|hidden from our user/,
    ],
  ] as const) {
    await run(refuse)
    // The pool may learn only now that its connections are closed.
    await get(store, 1).catch(() => {})
    await t.rejects(get(store, 1), StoreUnavailable, refuse)
    await t.rejects(store.commit([insert(2)], 2), StoreUnavailable, refuse)
    // The end of another connection may be reported after the refusal.
    while (!reason.test(store.unhealthy() ?? '')) await get(store, 1).catch(() => {})
    await run(accept)
    while (store.unhealthy() !== undefined) await new Promise(setImmediate)
    t.equal((await get(store, 1))[0]?.version, 1, accept)
  }
})

t.test('a statement that takes too long is ended, and the store stays healthy', withPostgres, async t => {
  const url = `${await openSchema(t)}%20-c%20statement_timeout%3D500`
  const store = await PostgresEngine.open(url, { migrate: true })
  const { pool } = openPool(url, () => {})
  t.teardown(() => Promise.all([store.close(), pool.end()]))
  await store.commit([insert(1)], 1)
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK documents')
  await t.rejects(get(store, 1), StoreUnavailable)
  t.equal(store.unhealthy(), undefined)
  await client.query('ROLLBACK')
  client.release()
  t.equal((await get(store, 1))[0]?.version, 1)
})

t.test('maintenance has no time limit, and the limits of other statements stay', withPostgres, async t => {
  const url = `${await openSchema(t)}%20-c%20statement_timeout%3D300`
  const { pool } = openPool(url, () => {}, { query_timeout: 400 })
  t.teardown(() => pool.end())
  const long = 'SELECT pg_sleep(0.6)'
  await t.rejects(pool.query(long), { code: '57014' })
  await once(url, client => client.query(long))
  const client = await pool.connect()
  await client.query(disableTimeout)
  await client.query(endless(long))
  client.release(true)
  await t.rejects(pool.query(long), { code: '57014' })
})

t.test("the time is the database's, whatever this process takes it for", withPostgres, async t => {
  const pool = new pg.Pool({ connectionString: await openSchema(t) })
  t.teardown(() => pool.end())
  const asked = async () => Number((await pool.query({ text: timeAndState, rowMode: 'array' })).rows[0]?.[0])
  const real = Date.now
  t.teardown(() => {
    Date.now = real
  })
  for (const wrongMs of [0, 5_000, -5_000]) {
    Date.now = () => real() + wrongMs
    const pulse = new Pulse(pool)
    await pulse.start()
    const before = await asked()
    const now = pulse.nowMs()
    const after = await asked()
    pulse.stop()
    // Half of a lookup's way is all that a measurement can be wrong by.
    const slackMs = 1_000
    t.ok(now >= before - slackMs && now <= after + slackMs, `${now - before} ms after it was asked`)
  }
})
