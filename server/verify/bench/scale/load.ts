import { type Load, load } from '../load.ts'
import { type Measured, ownCpuUs } from '../measure.ts'
import { operations } from '../operations.ts'
import type { Started } from '../processes.ts'
import { median, sum } from '../table.ts'
import { usedBy } from './processors.ts'
import { makeKeys } from './tenants.ts'

export const measuredOperations = ['create', 'get masked'] as const
export type MeasuredOperation = (typeof measuredOperations)[number]

/** For each server. */
export const clients = 32

/** One round of one operation on one or more servers with the same data. Shares are of one processor. */
export interface LoadSample extends Measured {
  readonly servers: readonly number[]
  /** The nodes of the database. */
  readonly nodes: readonly number[]
  readonly generator: number
  /** Used by other programs. */
  readonly others: number
}

/**
 * Measures all operations in turn, with clients of all tenants on each server.
 * @param nodes the main processes of the nodes of the database
 */
export async function measureLoad(
  servers: readonly Started[],
  nodes: readonly number[],
  seconds: number,
): Promise<Map<MeasuredOperation, LoadSample>> {
  const urls = servers.map(({ url }) => url)
  const keysFor = await makeKeys(urls[0] ?? '')
  const samples = new Map<MeasuredOperation, LoadSample>()
  const pids = servers.map(({ pid }) => pid)
  const ids: string[][] = []
  for (const operation of measuredOperations) {
    const { request } = operations[operation]
    const job: Load = {
      urls,
      keys: keysFor[operation],
      connections: clients * urls.length,
      seconds,
      request,
      ids,
    }
    // The reads are of the tokens that the creates made. As long as the measurement, because each connection of each
    // server plans its statements first, on a cluster in two nodes.
    await load(job)
    const [before, generatorBefore, beganMs] = [usedBy(pids, nodes), ownCpuUs(), performance.now()]
    const measured = await load(job)
    const us = (performance.now() - beganMs) * 1000
    const after = usedBy(pids, nodes)
    const shares = (now: readonly number[], then: readonly number[]) =>
      now.map((used, at) => (used - (then[at] ?? 0)) / us)
    const ours = {
      servers: shares(after.servers, before.servers),
      nodes: shares(after.nodes, before.nodes),
      generator: (ownCpuUs() - generatorBefore) / us,
    }
    const all = (after.machine - before.machine) / us
    const others = Math.max(0, all - sum(ours.servers) - sum(ours.nodes) - ours.generator)
    samples.set(operation, { ...measured, ...ours, others })
  }
  return samples
}

/** Returns the median round, whose figures belong together. */
export function middle(samples: readonly LoadSample[]): LoadSample {
  const rate = median(samples.map(({ perSecond }) => perSecond))
  const distance = ({ perSecond }: LoadSample) => Math.abs(perSecond - rate)
  const [nearest] = [...samples].sort((a, b) => distance(a) - distance(b))
  if (!nearest) throw new Error('nothing was measured')
  return nearest
}

/** Shares of a processor to which each server and each node of the database are limited. */
export interface Limits {
  readonly server: number | undefined
  readonly node: number | undefined
}

/** Returns the bottleneck, as far as processor times show it. */
export function limitOf(sample: LoadSample, processors: number, { server = 1, node }: Limits): string {
  const { servers, nodes, generator, others } = sample
  if (node !== undefined && Math.max(...nodes) > 0.9 * node) return 'the share of a node'
  if (Math.max(...servers) > 0.9 * server)
    return server < 1 ? 'the share of a server' : 'the thread of a server'
  if (sum(servers) + sum(nodes) + generator + others > 0.92 * processors) {
    return others > 0.15 * processors ? 'the processors, shared with other work' : 'the processors'
  }
  if (generator > 0.9) return 'the load generator'
  return 'waiting: for the disk, or for each other'
}
