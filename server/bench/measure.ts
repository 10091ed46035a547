import { availableParallelism } from 'node:os'

const seconds = Number(process.env.SURROGATE_BENCH_SECONDS ?? 2)

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Returns a quantile of values in any order. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly count: number
}

export interface Load {
  /** Concurrency. Default: the number of processors. */
  readonly lanes?: number
  /** Ends after this many instead of after a time. */
  readonly most?: number
}

/** Runs work concurrently, for the time of `SURROGATE_BENCH_SECONDS` or a number of times. */
export async function measure(
  work: (lane: number) => Promise<unknown>,
  { lanes = availableParallelism(), most = Number.POSITIVE_INFINITY }: Load = {},
): Promise<Measured> {
  const times: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  let left = most
  const lane = async (_: unknown, number: number) => {
    while (left-- > 0 && (performance.now() < end || most !== Number.POSITIVE_INFINITY)) {
      const begun = performance.now()
      await work(number)
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: lanes }).map(lane))
  const elapsed = (performance.now() - start) / 1000
  const { length: count } = times
  return { perSecond: count / elapsed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), count }
}

export function line(name: string, { perSecond, p50, p99, count }: Measured): void {
  const figures = [
    `${perSecond.toFixed(0).padStart(7)}/s`,
    `p50 ${p50.toFixed(2)} ms`,
    `p99 ${p99.toFixed(2)} ms`,
  ]
  say(`${name.padEnd(34)}${figures.join('  ')}  (${count})`)
}
