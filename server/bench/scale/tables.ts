import type { Measured as SearchMeasured } from '../search/measure.ts'
import { median } from '../table.ts'
import {
  clients,
  type LoadSample,
  limitOf,
  type MeasuredOperation,
  measuredOperations,
  middle,
} from './load.ts'
import type { Parts } from './parts.ts'

/** The measured systems, in turn in each round, so that a slow phase of the machine affects all of them. */
export const subjects = ['LevelDB', 'PostgreSQL', 'PostgreSQL, 2 replicas'] as const
export type Subject = (typeof subjects)[number]

export type Rounds = ReadonlyMap<Subject, readonly ReadonlyMap<MeasuredOperation, LoadSample>[]>

const percent = (share: number) => `${(100 * share).toFixed(0)} %`
const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1))

/** Microseconds of processor time, which remain comparable while other programs run. */
const perRequest = ({ perSecond }: LoadSample, share: number) => ((share * 1e6) / perSecond).toFixed(0)

export function loadTable(rounds: Rounds, processors: number, share?: number): string {
  const rows = [
    [
      'operation',
      'store',
      'req/s',
      'p50 ms',
      'p99 ms',
      'of LevelDB',
      'of one replica',
      'processor: servers',
      'database',
      'clients',
      'others',
      'µs/req: servers',
      'database',
      'limit',
    ],
  ]
  for (const operation of measuredOperations) {
    const of = (subject: Subject) => (rounds.get(subject) ?? []).flatMap(round => round.get(operation) ?? [])
    for (const subject of subjects) {
      const own = of(subject)
      const sample = middle(own)
      const ratio = (base: Subject) =>
        median(own.map((one, round) => one.perSecond / (of(base)[round]?.perSecond ?? Number.NaN)))
      rows.push([
        operation,
        subject,
        median(own.map(({ perSecond }) => perSecond)).toFixed(0),
        ms(sample.p50),
        ms(sample.p99),
        subject === 'LevelDB' ? '' : percent(ratio('LevelDB')),
        subject === 'PostgreSQL, 2 replicas' ? `${ratio('PostgreSQL').toFixed(2)} ×` : '',
        sample.servers.map(percent).join(' + '),
        percent(sample.database),
        percent(sample.generator),
        percent(sample.others),
        perRequest(
          sample,
          sample.servers.reduce((sum, share) => sum + share, 0),
        ),
        perRequest(sample, sample.database),
        limitOf(sample, processors, share),
      ])
    }
  }
  return `${clients} clients a server; processor time as shares of one processor\n${align(rows, 2)}`
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
