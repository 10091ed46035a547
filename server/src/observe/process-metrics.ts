import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Prometheus } from './prometheus.ts'

const ns = 1e-9

/**
 * Measures this process, under the names that dashboards for Node expect. The library's own default metrics cannot be
 * stopped, which would leak in a process that opens several vaults.
 */
export function measureProcess({ readGauge, readCounter }: Prometheus): { close(): void } {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const lags = { mean: () => delay.mean, max: () => delay.max, p99: () => delay.percentile(99) }
  for (const [name, read] of Object.entries(lags)) {
    readGauge(`nodejs_eventloop_lag_${name}_seconds`, `Event loop delay since the start: ${name}`, [], () => [
      [{}, Number.isFinite(read()) ? read() * ns : 0],
    ])
  }
  readGauge(
    'nodejs_eventloop_utilization',
    'Share of the time since the start that the loop worked',
    [],
    () => [[{}, performance.eventLoopUtilization().utilization]],
  )
  readCounter('process_cpu_seconds_total', 'Processor time of the server, without formulas', [], () => {
    const { user, system } = process.cpuUsage()
    return [[{}, (user + system) / 1e6]]
  })
  readGauge('process_resident_memory_bytes', 'Resident memory of the server, without formulas', [], () => [
    [{}, process.memoryUsage.rss()],
  ])
  readGauge('nodejs_heap_size_used_bytes', 'Used memory of the heap', [], () => [
    [{}, process.memoryUsage().heapUsed],
  ])
  const startS = Math.round(performance.timeOrigin / 1000)
  readGauge('process_start_time_seconds', 'Start of the process, in epoch seconds', [], () => [[{}, startS]])
  return { close: () => delay.disable() }
}
