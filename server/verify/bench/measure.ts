import { ms, quantile, say } from './table.ts'

/** How often work was done, and the times that it took, in milliseconds. */
export interface Measured {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly least: number
}

export function summarize(times: readonly number[], seconds: number): Measured {
  return {
    count: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    least: quantile(times, 0),
  }
}

interface Limits {
  /** Concurrency. */
  readonly lanes?: number
  /** Ends after this time, but not before it was done `least` times. */
  readonly seconds?: number
  readonly least?: number
  /** Ends after this many times instead. */
  readonly times?: number
}

/** Does work again and again in this process. */
export async function measure(
  work: (n: number) => Promise<unknown>,
  { lanes = 1, seconds = 2, least = 1, times }: Limits = {},
): Promise<Measured> {
  const taken: number[] = []
  const startMs = performance.now()
  let begun = 0
  const isOver = () =>
    begun >= (times ?? least) && (times !== undefined || performance.now() >= startMs + seconds * 1000)
  const lane = async () => {
    while (!isOver()) {
      const beganMs = performance.now()
      await work(begun++)
      taken.push(performance.now() - beganMs)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return summarize(taken, (performance.now() - startMs) / 1000)
}

export function printMeasured(name: string, { perSecond, p50, p99, count }: Measured): void {
  say(
    `${name.padEnd(34)}${perSecond.toFixed(0).padStart(7)}/s  p50 ${ms(p50)} ms  p99 ${ms(p99)} ms  (${count})`,
  )
}

/** Returns the processor time of this process in microseconds. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
