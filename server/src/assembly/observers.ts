import type { Log } from '../base/log.ts'
import { joinObservers, type Observer } from '../base/observer.ts'
import { accessLog } from '../observe/access-log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { createTracing } from '../observe/tracing.ts'
import { version } from '../version.ts'

export interface Observers {
  /** Absent if nobody observes. */
  readonly observer: Observer | undefined
  /** Absent unless the option `metrics` is set. */
  readonly metrics: Metrics | undefined
}

/** Makes the observers that are wanted. @param engine names the engine of the store */
export async function openObservers(keepsMetrics: boolean, log: Log, engine: string): Promise<Observers> {
  const metrics = keepsMetrics ? await loadMetrics({ version, engine }) : undefined
  const all = [accessLog(log), metrics, await createTracing(version)]
  return { metrics, observer: joinObservers(all.filter(one => one !== undefined)) }
}

/** Not loaded before it is wanted. */
async function loadMetrics(info: Readonly<Record<string, string>>): Promise<Metrics> {
  const { createMetrics } = await import('../observe/metrics.ts')
  return createMetrics(info)
}
