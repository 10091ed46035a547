import pg from 'pg'
import t, { type Test } from 'tap'
import { database, newSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { insert, mustCommit } from '../../port/port.samples.ts'
import { StoreUnavailable } from '../../port/port.ts'
import { PostgresEngine } from './postgres-engine.ts'
import type { Use } from './presence.ts'
import { migrate } from './schema.ts'

async function migrated(t: Test) {
  const schema = newSchema(t)
  await schema.create()
  await migrate(schema.url)
  const rowsOf = async (statement: string) => (await database().query(statement)).rows
  const locks = `FROM pg_locks WHERE locktype = 'advisory' AND objid = '${schema.name}.surrogate_schema'::regclass`
  const cut = async () => (await rowsOf(`SELECT pg_terminate_backend(pid) ${locks} AND granted`)).length
  const opened: PostgresEngine[] = []
  t.teardown(() => Promise.all(opened.map(store => store.close())))
  return {
    open: async (use: Use) => {
      const store = await PostgresEngine.open(schema.url, { use })
      opened.push(store)
      return store
    },
    /** Breaks the connections that hold the lock. */
    cut,
    /** Breaks them, and takes the lock as a command does before a server can take it again. */
    takeOver: async () => {
      const command = new pg.Client(schema.url)
      t.teardown(() => command.end())
      await command.connect()
      const taken = command.query(
        `SELECT pg_advisory_lock(classid::integer, objid::integer) FROM (SELECT DISTINCT classid, objid ${locks}) AS lock`,
      )
      // Who waits for a lock has it before who tries to take it later.
      while ((await rowsOf(`SELECT pid ${locks} AND NOT granted`)).length === 0);
      t.equal(await cut(), 1)
      await taken
      return command
    },
  }
}

const refused = (message: RegExp) => ({ name: 'DatabaseRefused', message })

t.test('any number of servers share a database, and a command has it alone', withPostgres, async t => {
  const { open } = await migrated(t)
  const [first, second] = [await open('shared'), await open('shared')]
  const inUse =
    /^the database .+ is in use: stop all servers on it, and wait until other commands have ended$/
  await t.rejects(open('alone'), refused(inUse))
  await first.close()
  await t.rejects(open('alone'), refused(inUse))
  await mustCommit(second, [insert('a')])
  await second.close()
  const command = await open('alone')
  await t.rejects(open('alone'), refused(inUse))
  await t.rejects(open('shared'), refused(/^a command that needs the database .+ alone is running/))
  await mustCommit(command, [insert('b')])
  await command.close()
  await open('shared')
})

t.test('schemas of one database do not share their lock', withPostgres, async t => {
  const [one, other] = [await migrated(t), await migrated(t)]
  await one.open('shared')
  await other.open('alone')
})

t.test('a server takes its lock again, and writes nothing beside a command', withPostgres, async t => {
  const { open, takeOver } = await migrated(t)
  const server = await open('shared')
  const command = await takeOver()
  while (server.unhealthy() === undefined) await new Promise(setImmediate)
  t.equal(server.unhealthy(), 'a command that needs the database alone is running')
  await t.rejects(server.commit([insert('a')], 1), StoreUnavailable)
  await command.end()
  while (server.unhealthy() !== undefined) await new Promise(setImmediate)
  await mustCommit(server, [insert('a')])
})

t.test('a command whose lock was lost writes nothing more', withPostgres, async t => {
  const { open, cut } = await migrated(t)
  const command = await open('alone')
  await mustCommit(command, [insert('a')])
  await cut()
  while (command.unhealthy() === undefined) await new Promise(setImmediate)
  await t.rejects(command.commit([insert('b')], 1), { name: 'StoreUnavailable', message: /run this again$/ })
  await open('shared')
})
