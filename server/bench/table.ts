import type { Measured } from './load.ts'
import { quantile } from './measure.ts'
import type { OperationName } from './operations.ts'
import type { Subject } from './subjects.ts'

/** The result of one server in one round. */
export interface Sample {
  readonly subject: Subject['name']
  readonly round: number
  readonly operation: OperationName
  readonly connections: number
  readonly measured: Measured
  /** Processor time of the server, in microseconds. */
  readonly serverCpuUs: number | undefined
}

/** The start times of a server, from its spawn. */
export interface Start {
  readonly subject: Subject['name']
  readonly readyMs: number
  readonly firstAnswerMs: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Returns a quantile of latencies, given in microseconds in any order, in milliseconds. */
export function quantileMs(latencies: Uint32Array, share: number): number {
  return quantile(latencies, share) / 1000
}

const rate = ({ measured }: Sample) => measured.answered / measured.seconds

/** Returns a table with a line for each operation, concurrency and server, from the samples of one run. */
export function loadTable(samples: readonly Sample[]): string {
  const rows = [
    ['operation', 'clients', 'server', 'req/s', 'p50 ms', 'p99 ms', 'of the ceiling', 'cpu µs/req'],
  ]
  for (const group of groupBy(samples, one => `${one.operation} ${one.connections}`)) {
    for (const own of groupBy(group, one => one.subject)) {
      const [first] = own
      if (!first) continue
      const latencies = Float64Array.from(own.flatMap(one => [...one.measured.latencies])).sort()
      const quantile = (part: number) =>
        ((latencies[Math.floor(latencies.length * part)] ?? 0) / 1000).toFixed(2)
      rows.push([
        first.operation,
        String(first.connections),
        first.subject,
        median(own.map(rate)).toFixed(0),
        quantile(0.5),
        quantile(0.99),
        ratioToCeiling(own, group),
        cpuPerRequest(own),
      ])
    }
  }
  return align(rows)
}

/** Returns the median and range of the ratios of all rounds: a slow machine affects both servers of a round. */
function ratioToCeiling(own: readonly Sample[], group: readonly Sample[]): string {
  const ratios = own.flatMap(sample => {
    const beside = group.find(one => one.subject === 'ceiling' && one.round === sample.round)
    return beside ? [(100 * rate(sample)) / rate(beside)] : []
  })
  if (ratios.length === 0 || own[0]?.subject === 'ceiling') return ''
  const range =
    ratios.length > 1 ? ` (${Math.min(...ratios).toFixed(0)}–${Math.max(...ratios).toFixed(0)})` : ''
  return `${median(ratios).toFixed(1)} %${range}`
}

function cpuPerRequest(own: readonly Sample[]): string {
  const each = own.flatMap(({ serverCpuUs, measured }) =>
    serverCpuUs === undefined ? [] : [serverCpuUs / measured.answered],
  )
  return each.length === 0 ? '' : median(each).toFixed(0)
}

export function startTable(starts: readonly Start[]): string {
  const rows = [['server', 'ready ms (least)', 'first answer ms (least)']]
  for (const own of groupBy(starts, one => one.subject)) {
    rows.push([
      own[0]?.subject ?? '',
      medianAndLeast(own.map(one => one.readyMs)),
      medianAndLeast(own.map(one => one.firstAnswerMs)),
    ])
  }
  return align(rows)
}

/** Other work can double the time of a start, so the minimum is the time without other work. */
function medianAndLeast(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)})`
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()]
}

/** Aligns words to the left and figures to the right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const isWord = (rows[0] ?? []).map((_, column) =>
    rows.slice(1).every(row => /^[a-z]/.test(row[column] ?? '')),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isWord[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return rows.map(row => `${line(row).trimEnd()}\n`).join('')
}
