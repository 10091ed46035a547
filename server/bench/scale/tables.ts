import type { Measured as SearchMeasured } from '../search/measure.ts'
import { median } from '../table.ts'
import {
  clients,
  type Limits,
  type LoadSample,
  limitOf,
  type MeasuredOperation,
  measuredOperations,
  middle,
  sum,
} from './load.ts'
import type { Parts } from './parts.ts'
import { tenantIds } from './tenants.ts'

/** The measured systems, in turn in each round, so that a slow phase of the machine affects all of them. */
export const subjects = ['LevelDB', 'PostgreSQL', 'PostgreSQL, 2 servers', 'Citus, 2 servers'] as const
export type Subject = (typeof subjects)[number]

export type Rounds = ReadonlyMap<Subject, readonly ReadonlyMap<MeasuredOperation, LoadSample>[]>

const percent = (share: number) => `${(100 * share).toFixed(0)} %`
const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1))

/** Microseconds of processor time, which remain comparable while other programs run. */
const perRequest = ({ perSecond }: LoadSample, share: number) => (share * 1e6) / perSecond

const headings = [
  'operation',
  'store',
  'req/s',
  'p50 ms',
  'p99 ms',
  '× PostgreSQL',
  'processor: servers',
  'nodes of the database',
  'clients',
  'others',
  'µs/req: servers',
  'database',
  'busiest node',
  'limit',
]

/**
 * Of LevelDB, PostgreSQL with one and two servers, and Citus, whose nodes are the coordinator and two workers. If each
 * node had a machine of its own, the busiest one would limit the rate.
 */
export function loadTable(rounds: Rounds, processors: number, limits: Limits): string {
  const rows = [headings]
  for (const operation of measuredOperations) {
    const of = (subject: Subject) => (rounds.get(subject) ?? []).flatMap(round => round.get(operation) ?? [])
    for (const subject of subjects) {
      const own = of(subject)
      if (own.length === 0) continue
      const sample = middle(own)
      const middleOf = (cost: (sample: LoadSample) => number) =>
        median(own.map(one => perRequest(one, cost(one)))).toFixed(0)
      const ratios = own.map(
        ({ perSecond }, round) => perSecond / (of('PostgreSQL')[round]?.perSecond ?? Number.NaN),
      )
      const hasNodes = sample.nodes.length > 0
      rows.push([
        operation,
        subject,
        median(own.map(({ perSecond }) => perSecond)).toFixed(0),
        ms(sample.p50),
        ms(sample.p99),
        median(ratios).toFixed(2),
        sample.servers.map(percent).join(' + '),
        sample.nodes.map(percent).join(' + '),
        percent(sample.generator),
        percent(sample.others),
        middleOf(({ servers }) => sum(servers)),
        hasNodes ? middleOf(({ nodes }) => sum(nodes)) : '',
        hasNodes ? middleOf(({ nodes }) => Math.max(...nodes)) : '',
        limitOf(sample, processors, limits),
      ])
    }
  }
  return `${clients} clients a server, of ${tenantIds.length} tenants; processor time as shares of one processor\n${align(rows, 2)}`
}

export interface Searched {
  readonly answers: SearchMeasured
  readonly parts: ReadonlyMap<string, Parts>
}

export function searchTable(level: Searched, postgres: Searched): string {
  const rows = [
    [
      'search',
      'found',
      'LevelDB answer',
      'total',
      'PostgreSQL answer',
      'total',
      'page 1',
      'deep page',
      'answer, × LevelDB',
    ],
  ]
  for (const [name, answer] of postgres.answers.shapes) {
    const beside = level.answers.shapes.get(name)
    const parts = postgres.parts.get(name)
    rows.push([
      name,
      String(answer.total),
      ms(beside?.p50),
      ms(level.parts.get(name)?.totalMs),
      ms(answer.p50),
      ms(parts?.totalMs),
      ms(parts?.pageMs),
      ms(parts?.deepMs),
      (answer.p50 / (beside?.p50 ?? Number.NaN)).toFixed(1),
    ])
  }
  const title = 'searches, p50 in ms; responses over HTTP with page and exact total, the rest at the store'
  return `${title}\n${align(rows, 1)}`
}

/** Aligns a table whose first `words` columns are words. */
function align(rows: readonly (readonly string[])[], words: number): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0)))
  const isWord = (at: number) => at < words || at >= 13
  const cell = (text: string, at: number) =>
    isWord(at) ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)
  return rows.map(row => `${row.map(cell).join('  ').trimEnd()}\n`).join('')
}
