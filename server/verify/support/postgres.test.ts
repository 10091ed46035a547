import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import t from 'tap'
import { folderOf, unprivilegedAccount } from './postgres/account.ts'
import { installed, runnable } from './postgres/binaries.ts'
import { PostgresUnavailable } from './postgres/unavailable.ts'
import { inSchema, newSchema, openSchema, startPostgres, withOwnPostgres, withPostgres } from './postgres.ts'
import { loader, locateProgram } from './process.ts'

type Teardown = { teardown(task: () => unknown): void }

async function connect(t: Teardown, url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  t.teardown(() => client.end())
  await client.connect()
  return client
}

/** Resolves when the other side has gone. */
const ended = (client: pg.Client) => new Promise<void>(resolve => client.once('end', () => resolve()))

t.test('tests share a database, each in a schema of its own', withPostgres, async t => {
  const [one, other] = [await connect(t, await openSchema(t)), await connect(t, await openSchema(t))]
  await one.query('create table things (name text)')
  t.same((await one.query('select * from things')).rows, [])
  await t.rejects(other.query('select * from things'), { code: '42P01' })
})

t.test('a schema is dropped with its test', withPostgres, async t => {
  const watcher = await connect(t, await openSchema(t))
  const left = async (name: string) =>
    (await watcher.query('select 1 from pg_namespace where nspname = $1', [name])).rowCount
  let name = ''
  await t.test('the test', async t => {
    const schema = newSchema(t)
    name = schema.name
    await schema.create()
    t.equal(await left(name), 1)
  })
  t.equal(await left(name), 0)
})

t.test('other parts of a URL are kept', async t => {
  const url = inSchema('postgres://u:p%40ss@h:1/d?sslmode=require&options=-c%20search_path%3Dother', 'mine')
  t.equal(url, 'postgres://u:p%40ss@h:1/d?sslmode=require&options=-c%20search_path%3Dmine')
})

t.test('a server can be stopped or killed, and started again with its data', withOwnPostgres, async t => {
  for (const end of ['stop', 'kill'] as const) {
    const server = await startPostgres({ durable: true, settings: { max_connections: '17' } })
    t.teardown(() => server.close())
    const client = await connect(t, server.url)
    t.equal((await client.query('show fsync')).rows[0].fsync, 'on')
    t.equal((await client.query('show max_connections')).rows[0].max_connections, '17')
    await client.query('create table things as select 1 as number')
    const cutOff = ended(client)
    await server[end]()
    await cutOff
    await t.rejects(connect(t, server.url), { code: 'ECONNREFUSED' }, `after ${end}`)
    await server.start()
    const again = await connect(t, server.url)
    t.same((await again.query('select number from things')).rows, [{ number: 1 }], `after ${end}`)
    const over = ended(again)
    await server.close()
    await over
  }
})

t.test('data in a folder of their own are kept for the next server', withOwnPostgres, async t => {
  const place = await folderOf(await unprivilegedAccount())
  t.teardown(() => rm(place, { recursive: true }))
  for (const [folder, left] of [
    [join(place, 'mine'), 1],
    [undefined, 0],
  ] as const) {
    const options = folder === undefined ? {} : { folder }
    const first = await startPostgres(options)
    const client = await connect(t, first.url)
    await client.query('create table things as select 1 as number')
    const over = ended(client)
    await first.close()
    await over
    const next = await startPostgres(options)
    t.teardown(() => next.close())
    const { rowCount } = await (await connect(t, next.url)).query(
      `select 1 from pg_tables where tablename = 'things'`,
    )
    t.equal(rowCount, left, folder === undefined ? 'the control' : 'kept')
  }
})

t.test('a server ends with the process that started it, even a killed one', withOwnPostgres, async t => {
  const program = `
    import { startPostgres } from '${locateProgram('server/verify/support/postgres/server.ts')}'
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, [...loader, '--input-type=module', '--eval', program])
  t.teardown(() => owner.kill('SIGKILL'))
  const [url] = await once(createInterface({ input: owner.stdout }), 'line')
  const client = await connect(t, url)
  const over = ended(client)
  t.equal((await client.query('select 1')).rowCount, 1)
  owner.kill('SIGKILL')
  await over
})

t.test(
  'binaries that the account may not read, or that lack their links, are copied',
  withOwnPostgres,
  async t => {
    const account = await unprivilegedAccount()
    const mine = join(t.testdir(), 'native')
    await cp(installed(), mine, {
      recursive: true,
      verbatimSymlinks: true,
      filter: path => !/\.so\.(5|6|60)$/.test(path),
    })
    const usable = await runnable(account, mine)
    t.not(usable, mine)
    t.equal(await runnable(account, usable), usable, 'the copy needs none')
  },
)

t.test('the reason why binaries cannot run is reported', withOwnPostgres, async t => {
  const folder = t.testdir({ 'pg-symlinks.json': '[]' })
  await mkdir(join(folder, 'bin'))
  await t.rejects(runnable(await unprivilegedAccount(), folder), PostgresUnavailable)
})
