import type { Generator } from '../generator.ts'
import { type OperationName, operations } from '../operations.ts'
import type { Started } from '../processes.ts'
import { privateKey } from '../server-process.ts'
import { median, quantileMs } from '../table.ts'
import { usedBy } from './processors.ts'

export const measuredOperations = ['create', 'get masked'] as const satisfies readonly OperationName[]
export type MeasuredOperation = (typeof measuredOperations)[number]

/** For each server. */
export const clients = 32

/** One round of one operation on one or more servers with the same data. Shares are of one processor. */
export interface LoadSample {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly servers: readonly number[]
  readonly database: number
  readonly generator: number
  /** Used by other programs. */
  readonly others: number
}

export interface LoadPlan {
  readonly generator: Generator
  readonly ids: readonly string[]
  readonly seconds: number
  /** The main process of the database, if any. */
  readonly database?: number
}

/** Measures all operations in turn. */
export async function measureLoad(
  servers: readonly Started[],
  { generator, ids, seconds, database }: LoadPlan,
): Promise<Map<MeasuredOperation, LoadSample>> {
  const [first, ...more] = servers
  if (!first) throw new Error('there is no server to measure')
  const job = {
    url: first.url,
    alsoUrls: more.map(({ url }) => url),
    connections: clients * servers.length,
    cvc: false,
  }
  await generator.run({ ...job, key: privateKey, operation: 'create', seconds: 1.5, ids })
  const samples = new Map<MeasuredOperation, LoadSample>()
  const pids = servers.map(({ pid }) => pid)
  for (const operation of measuredOperations) {
    const { key } = operations.find(({ name }) => name === operation) ?? { key: privateKey }
    await generator.run({ ...job, key, operation, seconds: 1.5 })
    const before = usedBy(pids, database)
    const beganMs = performance.now()
    const { answered, latencies, cpuUs } = await generator.run({ ...job, key, operation, seconds })
    const us = (performance.now() - beganMs) * 1000
    const after = usedBy(pids, database)
    const of = after.servers.map((used, at) => (used - (before.servers[at] ?? 0)) / us)
    const shares = { database: (after.database - before.database) / us, generator: cpuUs / us }
    const ours = of.reduce((sum, share) => sum + share, shares.database + shares.generator)
    samples.set(operation, {
      perSecond: answered / seconds,
      p50: quantileMs(latencies, 0.5),
      p99: quantileMs(latencies, 0.99),
      servers: of,
      ...shares,
      others: Math.max(0, (after.machine - before.machine) / us - ours),
    })
  }
  return samples
}

/** Returns the median round, whose figures belong together. */
export function middle(samples: readonly LoadSample[]): LoadSample {
  const rate = median(samples.map(({ perSecond }) => perSecond))
  const sorted = [...samples].sort((a, b) => Math.abs(a.perSecond - rate) - Math.abs(b.perSecond - rate))
  const [nearest] = sorted
  if (!nearest) throw new Error('nothing was measured')
  return nearest
}

/** Returns the bottleneck, as far as processor times show it. */
export function limitOf(
  { servers, database, generator, others }: LoadSample,
  processors: number,
  share = 1,
): string {
  const all = servers.reduce((sum, share) => sum + share, database + generator + others)
  if (all > 0.92 * processors) {
    return others > 0.15 * processors ? 'the processors, shared with other work' : 'the processors'
  }
  if (Math.max(...servers) > 0.9 * share)
    return share < 1 ? 'the share of the servers' : 'the thread of a server'
  if (generator > 0.9) return 'the load generator'
  return 'waiting: for the disk, or for each other'
}
