import type { Generator } from '../generator.ts'
import type { OperationName } from '../operations.ts'
import type { Started } from '../processes.ts'
import { median, quantileMs } from '../table.ts'
import { usedBy } from './processors.ts'
import { makeKeys } from './tenants.ts'

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
  /** The nodes of the database. */
  readonly nodes: readonly number[]
  readonly generator: number
  /** Used by other programs. */
  readonly others: number
}

export interface LoadPlan {
  readonly generator: Generator
  readonly seconds: number
  /** The main processes of the nodes of the database. */
  readonly nodes: readonly number[]
}

/** Measures all operations in turn, with clients of all tenants on each server. */
export async function measureLoad(
  servers: readonly Started[],
  { generator, seconds, nodes }: LoadPlan,
): Promise<Map<MeasuredOperation, LoadSample>> {
  const [first, ...more] = servers
  if (!first) throw new Error('there is no server to measure')
  const keysFor = await makeKeys(first.url)
  const job = {
    url: first.url,
    alsoUrls: more.map(({ url }) => url),
    connections: clients * servers.length,
    cvc: false,
    key: '',
  }
  const samples = new Map<MeasuredOperation, LoadSample>()
  const pids = servers.map(({ pid }) => pid)
  for (const operation of measuredOperations) {
    const keys = keysFor[operation]
    // The reads are of the tokens that the creates made. As long as the measurement, because each connection of each
    // server plans its statements first, on a cluster in two nodes.
    await generator.run({ ...job, keys, operation, seconds })
    const before = usedBy(pids, nodes)
    const beganMs = performance.now()
    const { answered, latencies, cpuUs } = await generator.run({ ...job, keys, operation, seconds })
    const us = (performance.now() - beganMs) * 1000
    const after = usedBy(pids, nodes)
    const shares = (now: readonly number[], then: readonly number[]) =>
      now.map((used, at) => (used - (then[at] ?? 0)) / us)
    const ours = {
      servers: shares(after.servers, before.servers),
      nodes: shares(after.nodes, before.nodes),
      generator: cpuUs / us,
    }
    const others =
      (after.machine - before.machine) / us - sum(ours.servers) - sum(ours.nodes) - ours.generator
    samples.set(operation, {
      perSecond: answered / seconds,
      p50: quantileMs(latencies, 0.5),
      p99: quantileMs(latencies, 0.99),
      ...ours,
      others: Math.max(0, others),
    })
  }
  return samples
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Returns the median round, whose figures belong together. */
export function middle(samples: readonly LoadSample[]): LoadSample {
  const rate = median(samples.map(({ perSecond }) => perSecond))
  const sorted = [...samples].sort((a, b) => Math.abs(a.perSecond - rate) - Math.abs(b.perSecond - rate))
  const [nearest] = sorted
  if (!nearest) throw new Error('nothing was measured')
  return nearest
}

/** Shares of a processor to which each server and each node of the database are limited. */
export interface Limits {
  readonly server?: number
  readonly node?: number
}

/** Returns the bottleneck, as far as processor times show it. */
export function limitOf(
  { servers, nodes, generator, others }: LoadSample,
  processors: number,
  { server = 1, node }: Limits,
): string {
  if (node !== undefined && Math.max(...nodes) > 0.9 * node) return 'the share of a node'
  if (Math.max(...servers) > 0.9 * server)
    return server < 1 ? 'the share of a server' : 'the thread of a server'
  if (sum(servers) + sum(nodes) + generator + others > 0.92 * processors) {
    return others > 0.15 * processors ? 'the processors, shared with other work' : 'the processors'
  }
  if (generator > 0.9) return 'the load generator'
  return 'waiting: for the disk, or for each other'
}
