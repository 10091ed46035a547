/**
 * `npm run bench -- scale`: measures creates and masked reads of several tenants on LevelDB, on PostgreSQL with one and two
 * servers, and on Citus with two workers, by each of which one server enters, if an installed PostgreSQL has that extension.
 *
 *     --rounds N       how often each of them is measured (3)
 *     --seconds S      duration of each measurement (4)
 *
 * Figures can be compared within one run, not between runs.
 */

import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore, parseStorage } from '../../src/storage/open.ts'
import { findCitus, placeOf, startCitus } from '../support/citus.ts'
import { PostgresUnavailable } from '../support/postgres/binaries.ts'
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts'
import { mustCallOver } from '../support/started-replicas.ts'
import { type Measured, median, ms, printTable, say, sum } from './figures.ts'
import { load, operations } from './load.ts'
import { postgresSettings } from './postgres-settings.ts'
import { cpuUsOf, familyUs, type Started, startServer, workFolder } from './servers.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
})
const seconds = Number(values.seconds)

/** For each server. */
const clients = 32

const uuidOf = (text: string) =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')

/** Enough that both workers of a cluster have some. */
const tenants = Array.from({ length: 16 }, (_, n) => ({
  id: uuidOf(`tenant ${n}`),
  name: `Scale ${n}`,
  applications: [
    {
      id: uuidOf(`application ${n}`),
      name: 'Set up',
      type: 'management',
      key: `key_mgt_scale${String(n).padStart(20, '0')}`,
      permissions: ['application:create'],
    },
  ],
}))

/** Makes a key in each tenant. It leads to its tenant, as those in a deployment do; keys of a bootstrap file do not. */
function makeKeys(url: string, permission: string): Promise<string[]> {
  return Promise.all(
    tenants.map(async ({ applications: [application] }) => {
      const body = { name: 'Load', type: 'private', permissions: [permission] }
      return (await mustCallOver(201, url, application?.key, 'POST', '/applications', body)).key
    }),
  )
}

/** A measured system. */
interface Subject {
  readonly name: string
  /** The storage of each server; `undefined` for LevelDB. */
  readonly storages: readonly (string | undefined)[]
  readonly nodes: readonly PostgresServer[]
}

interface Sample extends Measured {
  /** Processor time for a request in microseconds, which remains comparable while other programs run. */
  readonly serversUs: number
  readonly nodesUs: readonly number[]
}

const measured = { create: 'token:create', 'get masked': 'token:read' } as const
const samples = new Map<string, Sample[]>()

async function measureOn({ name, storages, nodes }: Subject, folder: string): Promise<void> {
  const servers: Started[] = []
  // One after the other, as the first one creates the tenants.
  for (const [n, storage] of storages.entries())
    servers.push(await startServer(join(folder, `${nodes.length}-${n}`), { storage, tenants: { tenants } }))
  const urls = servers.map(({ url }) => url)
  const used = () => ({
    servers: sum(servers.map(({ pid }) => cpuUsOf(pid))),
    nodes: nodes.map(({ pid }) => familyUs(pid)),
  })
  try {
    const ids: string[][] = []
    for (const operation of ['create', 'get masked'] as const) {
      const keys = await makeKeys(urls[0] ?? '', measured[operation])
      const { request } = operations[operation]
      const job = { urls, keys, connections: clients * urls.length, seconds, request, ids }
      // The reads are of the tokens that the creates made. As long as the measurement, because each connection of each
      // server plans its statements first, on a cluster in two nodes.
      await load(job)
      const before = used()
      const result = await load(job)
      const after = used()
      const row = `${operation}\t${name}`
      const sample = {
        ...result,
        serversUs: (after.servers - before.servers) / result.count,
        nodesUs: after.nodes.map((us, at) => (us - (before.nodes[at] ?? 0)) / result.count),
      }
      samples.set(row, [...(samples.get(row) ?? []), sample])
    }
  } finally {
    await Promise.all(servers.map(server => server.end()))
  }
}

/** If each node of a database had a machine of its own, the busiest one would limit the rate. */
function print(): void {
  const rows = [
    [
      'operation',
      'store',
      'req/s',
      'p50 ms',
      'p99 ms',
      '× PostgreSQL',
      'µs/req: servers',
      'database',
      'busiest node',
    ],
  ]
  for (const [row, rounds] of Object.keys(measured).flatMap(of =>
    [...samples].filter(([row]) => row.startsWith(of)),
  )) {
    const [operation = '', name = ''] = row.split('\t')
    const of = (figure: (sample: Sample) => number) => median(rounds.map(figure))
    const beside = samples.get(`${operation}\tPostgreSQL`) ?? []
    const ratios = rounds.map(({ perSecond }, round) => perSecond / (beside[round]?.perSecond ?? Number.NaN))
    const hasNodes = rounds.some(({ nodesUs }) => nodesUs.length > 0)
    rows.push([
      ...[operation, name, of(({ perSecond }) => perSecond).toFixed(0)],
      ...[ms(of(({ p50 }) => p50)), ms(of(({ p99 }) => p99)), median(ratios).toFixed(2)],
      of(({ serversUs }) => serversUs).toFixed(0),
      hasNodes ? of(({ nodesUs }) => sum(nodesUs)).toFixed(0) : '',
      hasNodes ? of(({ nodesUs }) => Math.max(...nodesUs)).toFixed(0) : '',
    ])
  }
  printTable(rows)
}

const folder = workFolder('scale')
const program = await findCitus().catch(() => undefined)
// Both of one version, so that they can be compared.
const database = await startPostgres({
  durable: true,
  settings: postgresSettings,
  ...(program && { program }),
})
const cluster = await startCitus({
  durable: true,
  settings: { ...postgresSettings, 'citus.shard_count': '32' },
}).catch(error => {
  if (!(error instanceof PostgresUnavailable)) throw error
  say(`without Citus: ${error.message}`)
})
try {
  for (const { url } of [database, ...(cluster ? [cluster.coordinator] : [])])
    await (await openStore(parseStorage(url), { migrate: true })).close()
  const subjects: Subject[] = [
    { name: 'LevelDB', storages: [undefined], nodes: [] },
    { name: 'PostgreSQL', storages: [database.url], nodes: [database] },
    { name: 'PostgreSQL, 2 servers', storages: [database.url, database.url], nodes: [database] },
  ]
  if (cluster) {
    const { coordinator, workers } = cluster
    const storages = workers.map(({ url }) => url)
    subjects.push({ name: 'Citus, 2 servers', storages, nodes: [coordinator, ...workers] })
    const ports = await Promise.all(tenants.map(async ({ id }) => (await placeOf(coordinator.url, id)).port))
    const counts = storages.map(url => ports.filter(port => port === Number(new URL(url).port)).length)
    say(`Citus: the workers have ${counts.join(' and ')} of the tenants`)
  }
  say(
    `Node ${process.version}, ${availableParallelism()} cores, ${tenants.length} tenants, ${clients} clients a server`,
  )
  for (let round = 0; round < Number(values.rounds); round++) {
    // In turns, so that a slow phase of the machine affects all of them.
    for (let turn = 0; turn < subjects.length; turn++)
      await measureOn(subjects[(round + turn) % subjects.length] as Subject, folder)
  }
  print()
} finally {
  await Promise.all([database.close(), cluster?.close()])
}
