import type { SearchMeasured } from '../search/measure.ts'
import { median, ms, percent, printTable, say, sum } from '../table.ts'
import {
  clients,
  type Limits,
  type LoadSample,
  limitOf,
  type MeasuredOperation,
  measuredOperations,
  middle,
} from './load.ts'
import { tenantIds } from './tenants.ts'

/** The measured systems, in turn in each round, so that a slow phase of the machine affects all of them. */
export const subjects = ['LevelDB', 'PostgreSQL', 'PostgreSQL, 2 servers', 'Citus, 2 servers'] as const
export type Subject = (typeof subjects)[number]

export type Rounds = ReadonlyMap<Subject, readonly ReadonlyMap<MeasuredOperation, LoadSample>[]>

const headings = [
  ...['operation', 'store', 'req/s', 'p50 ms', 'p99 ms', '× PostgreSQL'],
  ...['processor: servers', 'nodes of the database', 'clients', 'others'],
  ...['µs/req: servers', 'database', 'busiest node', 'limit'],
]

/**
 * Of LevelDB, PostgreSQL with one and two servers, and Citus, whose nodes are the coordinator and two workers. If each
 * node had a machine of its own, the busiest one would limit the rate.
 */
export function printLoads(rounds: Rounds, processors: number, limits: Limits): void {
  const rows = [headings]
  for (const operation of measuredOperations) {
    const of = (subject: Subject) => (rounds.get(subject) ?? []).flatMap(round => round.get(operation) ?? [])
    for (const subject of subjects) {
      const own = of(subject)
      if (own.length === 0) continue
      const sample = middle(own)
      // Microseconds of processor time, which remain comparable while other programs run.
      const cost = (share: (sample: LoadSample) => number) =>
        median(own.map(one => (share(one) * 1e6) / one.perSecond)).toFixed(0)
      const beside = of('PostgreSQL').map(({ perSecond }) => perSecond)
      const ratios = own.map(({ perSecond }, round) => perSecond / (beside[round] ?? Number.NaN))
      const hasNodes = sample.nodes.length > 0
      rows.push([
        ...[operation, subject, median(own.map(({ perSecond }) => perSecond)).toFixed(0)],
        ...[ms(sample.p50), ms(sample.p99), median(ratios).toFixed(2)],
        ...[sample.servers, sample.nodes].map(shares => shares.map(percent).join(' + ')),
        ...[percent(sample.generator), percent(sample.others)],
        cost(({ servers }) => sum(servers)),
        hasNodes ? cost(({ nodes }) => sum(nodes)) : '',
        hasNodes ? cost(({ nodes }) => Math.max(...nodes)) : '',
        limitOf(sample, processors, limits),
      ])
    }
  }
  say(
    `${clients} clients a server, of ${tenantIds.length} tenants; processor time as shares of one processor`,
  )
  printTable(rows)
}

type Searches = ReadonlyMap<string, SearchMeasured>

export function printSearches(level: Searches, postgres: Searches): void {
  const rows = [['search', 'found', 'LevelDB', 'PostgreSQL', '× LevelDB']]
  for (const [name, { total, p50 }] of postgres) {
    const beside = level.get(name)?.p50 ?? Number.NaN
    rows.push([name, String(total), ms(beside), ms(p50), (p50 / beside).toFixed(1)])
  }
  say('searches over HTTP, with a page and an exact total: p50 in ms')
  printTable(rows)
}
