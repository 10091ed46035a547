// Only at night: it needs a server of the last release.
// In a process of its own: it takes long.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import t, { type Test } from 'tap'
import { tables } from '../../src/storage/engines/postgres/migrations.ts'
import { PostgresStore } from '../../src/storage/engines/postgres/postgres-store.ts'
import { type Started, start } from '../bench/processes.ts'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openRoundRobin } from '../support/round-robin.ts'
import { startReplicas } from '../support/started-replicas.ts'
import { newMasterKey } from '../support/stores.ts'
import { checkHistory } from './history/check.ts'
import { HistoryClients } from './history/clients.ts'

/** Where `npm run verify -- upgrade` has installed the packages of the last release. */
const { SURROGATE_OLD_SERVER: installed } = process.env
const options = installed === undefined ? { skip: 'npm run verify -- upgrade runs it' } : withPostgres

const execute = promisify(execFile)
const program = join(installed ?? '', 'node_modules/@surrogate/server/bin/surrogate-server.js')
const suite = join(installed ?? '', 'node_modules/@surrogate/conformance/dist/surrogate-conformance.mjs')

interface Tenant {
  readonly private_key: string
  readonly public_key: string
  readonly management_key: string
  readonly webhook_secret: string
}

/** Opens an empty database. Returns functions that start servers on it, of the last release and of this one. */
async function openDatabase(t: Test) {
  const database = await openSchema(t)
  const environment = {
    SURROGATE_STORAGE: database,
    SURROGATE_MASTER_KEY: Buffer.from(newMasterKey()).toString('base64'),
  }
  const args = [program, '--dev', '--allow-private-callbacks', '--port=0']
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  t.teardown(() => client.end())
  return {
    database,
    client,
    startOld: async (): Promise<Started> => {
      const server = await start({ args, env: environment })
      t.teardown(() => server.end('SIGKILL'))
      return server
    },
    /** Resolves with how a server of the last release ends that cannot start. */
    refusedOld: () =>
      execute(process.execPath, args, { env: environment, timeout: 60_000 }).then(
        () => ({ code: 0, stderr: '' }),
        ({ code, stderr }) => ({ code, stderr }),
      ),
    startNew: () => startReplicas(t, database).start(environment),
    /** Returns the greatest version that servers must know. */
    needed: async () =>
      Number((await client.query('SELECT max(version) AS needed FROM surrogate_schema')).rows[0].needed),
  }
}

async function newTenant(url: string): Promise<Tenant> {
  const response = await fetch(`${url}/_dev/tenants`, { method: 'POST' })
  if (response.status !== 201) throw new Error(await response.text())
  return (await response.json()) as Tenant
}

/**
 * Migrates the database beside the old server. Returns false if this version cannot open the records of the old one: then it
 * says so, and changes nothing.
 */
async function migrateBeside(t: Test, database: string, old: Started): Promise<boolean> {
  try {
    const { from, to } = await PostgresStore.migrate(database)
    t.comment(`migrated from ${from} to ${to}`)
    return true
  } catch (error) {
    t.match(error, { name: 'DatabaseRefused', message: /^the database holds records of an earlier version/ })
    t.equal((await newTenant(old.url)).private_key.slice(0, 4), 'key_', 'the old server goes on')
    return false
  }
}

t.test('an upgrade beside callers: no request fails, and all fit one order', options, async t => {
  const { database, client, startOld, startNew, refusedOld, needed } = await openDatabase(t)
  const old = await startOld()
  const known = await needed()
  let urls = [old.url]
  const { private_key: key } = await newTenant(old.url)
  const servers = { urls: () => urls, up: async () => {} }
  const clients = new HistoryClients({ seed: 'upgrade', servers, key, onAnswer: () => {} })

  await clients.run(200)
  const upgrade = async () => {
    if (!(await migrateBeside(t, database, old))) return
    t.comment(`servers must know ${await needed()}, the old one knows ${known}`)
    urls = [old.url, (await startNew()).url]
  }
  await Promise.all([clients.run(600), upgrade()])
  if (urls.length === 1) return
  await clients.run(600)

  // The next release adds something, too.
  const add = async () => {
    for (const table of tables)
      await client.query(`ALTER TABLE ${table} ADD COLUMN of_the_next_release bigint`)
  }
  await Promise.all([clients.run(300), add()])

  const [, next = ''] = urls
  if ((await needed()) <= known) {
    const again = await startOld()
    urls = [again.url, next]
    await clients.run(300)
  } else {
    const { code, stderr } = await refusedOld()
    t.equal(code, 2, 'the old server cannot start any more')
    t.match(stderr, /has schema \d+, and this server knows only \d+: use a server as new/)
  }
  urls = [next]
  await Promise.all([clients.run(200), old.end('SIGTERM')])
  await clients.readAll()
  t.same(clients.faults, [])
  t.same(
    clients.calls.filter(({ to }) => to === undefined),
    [],
    'every request was answered',
  )
  t.same(checkHistory(clients.calls).slice(0, 5), [])
  t.comment(`${clients.calls.length} requests`)
})

t.test('all operations work while every request goes to the other server', options, async t => {
  const { database, startOld, startNew } = await openDatabase(t)
  const old = await startOld()
  if (!(await migrateBeside(t, database, old))) return
  const replicas = [old.url, (await startNew()).url]
  const { url, counts } = await openRoundRobin(t, replicas)
  const [own, other] = [await newTenant(url), await newTenant(url)]
  const flags = {
    'base-url': url,
    'private-key': own.private_key,
    'public-key': own.public_key,
    'management-key': own.management_key,
    'other-private-key': other.private_key,
    'other-management-key': other.management_key,
    'webhook-secret': own.webhook_secret,
    'clock-url': `${url}/_dev/clock`,
    'callback-host': '127.0.0.1',
    capability: 'read-your-writes',
    profile: 'surrogate',
    // So that the requests of a case go to both servers in turn.
    concurrency: '1',
  }
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  // The suite of the old release: what its callers rely on.
  const ended = execute(process.execPath, [suite, ...args], { maxBuffer: 100_000_000 })
  const { code, stdout } = await ended.then(
    ({ stdout }) => ({ code: 0, stdout }),
    error => ({ code: error.code as number, stdout: String(error.stdout) }),
  )
  // A later server may have more members, which callers ignore.
  const isMore = (line: string) => /must NOT have (additional|unevaluated) properties/.test(line)
  const found = stdout.split('\n').filter(line => /^Bail|^ +found: /.test(line))
  t.same(
    found.filter(line => !isMore(line)),
    [],
  )
  t.ok(code === 0 || found.some(isMore), `exit code ${code}`)
  t.match(stdout, /^# verdict: core: (\d+) of \1, conformant; surrogate: \d+ of \d+, /m)
  t.comment(`${counts.join(' and ')} requests`)
})

t.test('totals of both servers agree while both write', options, async t => {
  const { database, client, startOld, startNew } = await openDatabase(t)
  const old = await startOld()
  if (!(await migrateBeside(t, database, old))) return
  const present = await startNew()
  const urls = [old.url, present.url]
  const { private_key: key } = await newTenant(old.url)
  const ask = async (url: string, method: string, path: string, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { 'SVC-API-KEY': key, ...(body && { 'Content-Type': type }) }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const ids: string[] = []
  const fill = async (by: readonly string[], requests: number) => {
    for (let request = 0; request < requests; request++) {
      const tokens = Array.from({ length: 100 }, (_, n) => ({
        type: 'token',
        data: `value ${ids.length} ${n}`,
        metadata: { all: 'yes', third: String(n % 3), tenth: String(n % 10) },
      }))
      const made: { id: string }[] = await ask(by[request % by.length] ?? '', 'POST', '/tokenize', tokens)
      ids.push(...made.map(({ id }) => id))
    }
  }
  const queries = [
    'metadata.all:yes',
    'metadata.third:1',
    'metadata.third:1 AND metadata.tenth:2',
    'metadata.third:1 OR metadata.tenth:2',
    'metadata.all:yes AND NOT metadata.tenth:3',
    'metadata.tenth:changed',
  ]
  const compare = async (when: string) => {
    for (const query of queries) {
      const totals = await Promise.all(
        urls.map(async url => {
          const { pagination } = await ask(url, 'POST', '/tokens/search', { query, size: 1 })
          return pagination.total_items
        }),
      )
      t.equal(totals[1], totals[0], `${when}: ${query}`)
    }
  }
  const change = async (from: number, to: number) => {
    for (const [at, id] of ids.slice(from, to).entries()) {
      const url = urls[at % 2] ?? ''
      if (at % 3 === 0) await ask(url, 'DELETE', `/tokens/${id}`)
      else await ask(url, 'PATCH', `/tokens/${id}`, { metadata: { tenth: 'changed' } })
    }
  }
  await fill([present.url], 260)
  await compare('filled by the new server')
  // Until the new server has prepared what it needs for fast totals, which the old one does not keep correct.
  const prepared = async () => Number((await client.query('SELECT count(*) AS n FROM term_blocks')).rows[0].n)
  while ((await prepared()) === 0) await new Promise(resolve => setTimeout(resolve, 200))
  t.comment(`${await prepared()} blocks of terms`)
  await compare('prepared')
  await change(0, 150)
  await compare('after changes of both')
  await fill(urls, 10)
  await compare('after creates of both')
  await fill([old.url], 10)
  await change(10_000, 10_150)
  await fill([present.url], 10)
  await compare('after more of both')
})

t.test('the old server says why it cannot use a database', options, async t => {
  const { client, startOld, refusedOld } = await openDatabase(t)
  const first = await startOld()
  await first.end()
  await client.query('INSERT INTO surrogate_schema VALUES (99, now())')
  const { code, stderr } = await refusedOld()
  t.equal(code, 2)
  t.match(
    stderr,
    /^[^\n]*the database has schema 99, and this server knows only \d+: use a server as new[^\n]*\n$/,
  )
  await client.query('DELETE FROM surrogate_schema WHERE version = 99')
  await (await startOld()).end()
})
