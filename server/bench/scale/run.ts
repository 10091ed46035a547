/**
 * `npm run bench:scale`: measures creates and reads of several tenants on LevelDB, on PostgreSQL with one and two
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
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { numberOf } from '../../src/storage/engines/postgres/kinds.ts'
import { findCitus } from '../../testing/citus.ts'
import { type Generator, startGenerator } from '../generator.ts'
import { say } from '../measure.ts'
import { endWithThisProcess, type Started } from '../processes.ts'
import { measureOurs } from '../search/measure.ts'
import { isBuilt, startServer } from '../server-process.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Database, startDatabase } from './database.ts'
import { limitProcessor, type ProcessorLimit } from './limit-processor.ts'
import { type Limits, measureLoad } from './load.ts'
import type { Parts } from './parts.ts'
import { childrenOf } from './processors.ts'
import { sizesOf } from './sizes.ts'
import { loadTable, type Rounds, type Searched, type Subject, searchTable, subjects } from './tables.ts'
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
const limits: Limits = {
  ...(values['processor-share'] === undefined ? {} : { server: Number(values['processor-share']) }),
  ...(values['node-share'] === undefined ? {} : { node: Number(values['node-share']) }),
}

/** Runs a program of this folder and parses the JSON that it prints. */
async function ask<Answer>(program: string, ...args: readonly string[]): Promise<Answer> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = endWithThisProcess(
    spawn(process.execPath, ['--import=tsx', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return JSON.parse(output) as Answer
}

/** Describes complete data. Written last, so that incomplete data are not reused. */
interface Built {
  readonly size: number
  readonly startMs: number
  /** The stamp of the newest document. */
  readonly lastUs: number
}

interface Made {
  readonly startMs: number
  readonly seconds: number
}

async function buildLevel(folder: string): Promise<Made> {
  const file = join(folder, 'made.json')
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as Made
  const made = await ask<Made>('../search/build.ts', folder, String(size))
  say(`LevelDB: ${size} tokens made in ${made.seconds.toFixed(1)} s`)
  await writeFile(file, JSON.stringify(made))
  return made
}

/** Creates the tokens in LevelDB, and copies the documents to the database. */
async function build(folder: string, database: Database): Promise<Built> {
  const file = join(folder, 'built.json')
  if (existsSync(file)) {
    const built = JSON.parse(await readFile(file, 'utf8')) as Built
    if (built.size !== size) throw new Error(`--keep has ${built.size} tokens: use --size ${built.size}`)
    return built
  }
  const made = await buildLevel(folder)
  const filled = await ask<{ filled: number; seconds: number }>('fill.ts', join(folder, 'data'), database.url)
  const rate = (filled.filled / filled.seconds).toFixed(0)
  say(`PostgreSQL: ${filled.filled} documents in ${filled.seconds.toFixed(1)} s, ${rate} a second`)
  await database.pool.query('VACUUM (ANALYZE)')
  await database.pool.query('CHECKPOINT')
  const { rows } = await database.pool.query<{ us: string }>('SELECT max(created_us) AS us FROM documents')
  const built: Built = {
    size,
    startMs: made.startMs,
    lastUs: Number(rows[0]?.us),
  }
  await writeFile(file, JSON.stringify(built))
  return built
}

interface Place {
  readonly folder: string
  readonly database: Database
  readonly cluster?: Cluster
}

async function startSubject(subject: Subject, { folder, database, cluster }: Place): Promise<Started[]> {
  if (subject === 'LevelDB') return [await startServer(folder, [], {}, undefined, setup)]
  const of = { PostgreSQL: [database.url], 'PostgreSQL, 2 servers': [database.url, database.url] }
  const urls = subject === 'Citus, 2 servers' ? (cluster?.workerUrls ?? []) : of[subject]
  const servers: Started[] = []
  // One after the other, as the first one creates the tenants.
  for (const [n, url] of urls.entries()) {
    servers.push(await startServer(join(folder, `server-${n}`), [], {}, url, setup))
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

async function measureLoads(place: Place, generator: Generator): Promise<Rounds> {
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
        const plan = { generator, nodes, seconds: Number(values.seconds) }
        rounds.get(subject)?.push(await measureLoad(servers, plan))
      } finally {
        await Promise.all(servers.map(server => server.end()))
        await Promise.all(held.map(one => one.release()))
      }
    }
  }
  return rounds
}

async function measureSearches(
  place: Place,
  startMs: number,
): Promise<[level: Searched, postgres: Searched]> {
  const seconds = Number(values.search)
  const measureOn = async (subject: Subject, storage: string): Promise<Searched> => {
    const start = async () => (await startSubject(subject, place))[0] as Started
    const answers = await measureOurs(start, { count: size, startMs }, { seconds, rounds: 0, least: 5 })
    const args = [storage, String(size), String(startMs), String(seconds)]
    return { answers, parts: new Map(await ask<[string, Parts][]>('parts.ts', ...args)) }
  }
  return [
    await measureOn('LevelDB', `level:${join(place.folder, 'data')}`),
    await measureOn('PostgreSQL', place.database.url),
  ]
}

/** Removes tokens that the load test of an earlier run created. */
async function removeLoad({ pool }: Database, lastUs: number): Promise<void> {
  await pool.query('DELETE FROM documents WHERE kind = ANY($1) AND created_us > $2', [
    [numberOf('token'), numberOf('audit')],
    lastUs,
  ])
  await pool.query(
    `UPDATE collections SET documents = (SELECT count(*) FROM documents
     WHERE documents.tenant = collections.tenant AND documents.kind = collections.kind)`,
  )
  await pool.query('VACUUM (ANALYZE) documents')
}

const temporary = values.keep === undefined
const folder = temporary ? mkdtempSync(join(tmpdir(), 'surrogate-scale-')) : resolve(values.keep ?? '')
process.on('exit', () => {
  if (temporary) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

let database: Database | undefined
try {
  if (!isBuilt) say('there is no build: measuring the sources, which start more slowly')
  await mkdir(folder, { recursive: true })
  // As root, the database runs under another account, which needs access.
  await chmod(folder, 0o711)
  // Both of one version, so that they can be compared.
  const withCitus = values['skip-load'] ? undefined : await findCitus().catch(() => undefined)
  database = await startDatabase(join(folder, 'postgres'), withCitus)
  const { startMs, lastUs } = await build(folder, database)
  say(`Node ${process.version}, ${availableParallelism()} cores, ${size} tokens\n`)
  say(await sizesOf(database.pool))
  if (!values['skip-search']) {
    await removeLoad(database, lastUs)
    const [level, postgres] = await measureSearches({ folder, database }, startMs)
    say(searchTable(level, postgres))
  }
  if (!values['skip-load']) {
    const generator = startGenerator()
    const cluster = await startCluster()
    try {
      if (typeof cluster === 'string') say(`without Citus: ${cluster}`)
      else say(`Citus: the workers have ${cluster.tenants.join(' and ')} of the tenants`)
      for (const [what, share] of Object.entries(limits))
        say(`each ${what} has ${100 * share} % of a processor`)
      const place = { folder, database, ...(typeof cluster === 'string' ? {} : { cluster }) }
      say(loadTable(await measureLoads(place, generator), availableParallelism(), limits))
    } finally {
      await generator.end()
      if (typeof cluster !== 'string') await cluster.close()
    }
  }
} catch (error) {
  process.stderr.write(`bench:scale: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await database?.close()
}
