/**
 * `npm run bench -- scale`: measures creates and reads of several tenants on LevelDB, on PostgreSQL with one and two
 * servers, and on Citus with two workers and two servers, if an installed PostgreSQL has that extension; and searches
 * on LevelDB and PostgreSQL.
 *
 *     --size N         number of tokens (10000)
 *     --rounds N       rounds of the load tests (3)
 *     --seconds S      duration of each load test (4)
 *     --search S       duration of each search (0.5)
 *     --keep FOLDER    a folder in which the data remain for later runs of the same size
 *     --processor-share S
 *                      limits each server to this share of a processor (such as 0.35), like separate machines; needs
 *                      root on Linux
 *     --node-share S   limits each node of a database in the same way
 *     --skip-load      only searches
 *     --skip-search    only load tests
 *
 * Figures can be compared within one run, not between runs.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemRandom } from '../../../src/base/random.ts'
import { parseStorage } from '../../../src/storage/location.ts'
import { openStore } from '../../../src/storage/open.ts'
import { copyStore, openSource } from '../../../src/storage/transfer/copy-store.ts'
import { documentsIn } from '../../../src/storage/transfer/walk.ts'
import { findCitus } from '../../support/citus.ts'
import { runJson, type Started, workFolder } from '../processes.ts'
import { measureSearches, type SearchMeasured } from '../search/measure.ts'
import { masterKey, startServer } from '../server-process.ts'
import { say } from '../table.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Database, startDatabase } from './database.ts'
import { limitProcessor, type ProcessorLimit } from './limit-processor.ts'
import { measureLoad } from './load.ts'
import { childrenOf } from './processors.ts'
import { sizesOf } from './sizes.ts'
import { printLoads, printSearches, type Rounds, type Subject, subjects } from './tables.ts'
import { setup } from './tenants.ts'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    search: { type: 'string', default: '0.5' },
    keep: { type: 'string' },
    'processor-share': { type: 'string' },
    'node-share': { type: 'string' },
    'skip-load': { type: 'boolean', default: false },
    'skip-search': { type: 'boolean', default: false },
  },
})
const size = Number(values.size)
const share = (text: string | undefined) => (text === undefined ? undefined : Number(text))
const limits = { server: share(values['processor-share']), node: share(values['node-share']) }

/** Describes complete data. Written last, so that incomplete data are not reused. */
interface Built {
  readonly size: number
  readonly startMs: number
}

/** Creates the tokens in LevelDB, and copies the documents to the database. */
async function build(folder: string, { url, pool }: Database): Promise<Built> {
  const file = join(folder, 'built.json')
  if (existsSync(file)) {
    const built = JSON.parse(await readFile(file, 'utf8')) as Built
    if (built.size !== size) throw new Error(`--keep has ${built.size} tokens: use --size ${built.size}`)
    return built
  }
  const program = new URL('../search/build.ts', import.meta.url)
  const { startMs, seconds } = await runJson<{ startMs: number; seconds: number }>(
    program,
    folder,
    values.size,
  )
  say(`LevelDB: ${size} tokens made in ${seconds.toFixed(1)} s`)
  const key = Buffer.from(masterKey, 'base64')
  const from = await openStore(parseStorage(`level:${join(folder, 'data')}`))
  const to = await openStore(parseStorage(url), { migrate: true })
  await copyStore({
    from: await openSource(documentsIn(from), key),
    to: { store: to, masterKey: key },
    random: systemRandom(),
    nowUs: Date.now() * 1000,
  })
  await Promise.all([from.close(), to.close()])
  await pool.query('VACUUM (ANALYZE)')
  await pool.query('CHECKPOINT')
  const built: Built = { size, startMs }
  await writeFile(file, JSON.stringify(built))
  return built
}

interface Place {
  readonly folder: string
  readonly database: Database
  readonly cluster?: Cluster
}

async function startSubject(subject: Subject, { folder, database, cluster }: Place): Promise<Started[]> {
  if (subject === 'LevelDB') return [await startServer(folder, { tenants: setup })]
  const of = { PostgreSQL: [database.url], 'PostgreSQL, 2 servers': [database.url, database.url] }
  const urls = subject === 'Citus, 2 servers' ? (cluster?.workerUrls ?? []) : of[subject]
  const servers: Started[] = []
  // One after the other, as the first one creates the tenants.
  for (const [n, storage] of urls.entries()) {
    servers.push(await startServer(join(folder, `server-${n}`), { storage, tenants: setup }))
  }
  return servers
}

function nodesOf(subject: Subject, { database, cluster }: Place): readonly number[] {
  if (subject === 'LevelDB') return []
  return subject === 'Citus, 2 servers' ? (cluster?.pids ?? []) : [database.pid]
}

/** Limits the servers and the nodes of their database. */
async function* limit(servers: readonly Started[], nodes: readonly number[]): AsyncGenerator<ProcessorLimit> {
  const { server, node } = limits
  if (server !== undefined) for (const { pid } of servers) yield limitProcessor([pid], server)
  if (node !== undefined) for (const pid of nodes) yield limitProcessor([pid, ...childrenOf(pid)], node)
}

async function measureLoads(place: Place): Promise<Rounds> {
  const present = subjects.filter(subject => subject !== 'Citus, 2 servers' || place.cluster)
  const rounds = new Map(present.map(subject => [subject, [] as Awaited<ReturnType<typeof measureLoad>>[]]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (let turn = 0; turn < present.length; turn++) {
      const subject = present[(round + turn) % present.length] as Subject
      const servers = await startSubject(subject, place)
      const nodes = nodesOf(subject, place)
      const held: ProcessorLimit[] = []
      try {
        for await (const one of limit(servers, nodes)) held.push(one)
        rounds.get(subject)?.push(await measureLoad(servers, nodes, Number(values.seconds)))
      } finally {
        await Promise.all(servers.map(server => server.end()))
        await Promise.all(held.map(one => one.release()))
      }
    }
  }
  return rounds
}

async function searchesOn(
  subject: Subject,
  place: Place,
  startMs: number,
): Promise<Map<string, SearchMeasured>> {
  const [server] = (await startSubject(subject, place)) as [Started]
  try {
    return await measureSearches(server, { count: size, startMs }, Number(values.search))
  } finally {
    await server.end()
  }
}

const folder = workFolder('scale', values.keep)

let database: Database | undefined
try {
  await mkdir(folder, { recursive: true })
  // As root, the database runs under another account, which needs access.
  await chmod(folder, 0o711)
  // Both of one version, so that they can be compared.
  const withCitus = values['skip-load'] ? undefined : await findCitus().catch(() => undefined)
  database = await startDatabase(join(folder, 'postgres'), withCitus)
  const { startMs } = await build(folder, database)
  say(`Node ${process.version}, ${availableParallelism()} cores, ${size} tokens\n`)
  say(await sizesOf(database.pool))
  if (!values['skip-search']) {
    const place = { folder, database }
    const level = await searchesOn('LevelDB', place, startMs)
    printSearches(level, await searchesOn('PostgreSQL', place, startMs))
  }
  if (!values['skip-load']) {
    const cluster = await startCluster()
    try {
      if (typeof cluster === 'string') say(`without Citus: ${cluster}`)
      else say(`Citus: the workers have ${cluster.tenants.join(' and ')} of the tenants`)
      const place = { folder, database, ...(typeof cluster === 'string' ? {} : { cluster }) }
      printLoads(await measureLoads(place), availableParallelism(), limits)
    } finally {
      if (typeof cluster !== 'string') await cluster.close()
    }
  }
} finally {
  await database?.close()
}
