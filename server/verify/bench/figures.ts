export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Returns a quantile of values in any order. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Formats milliseconds. */
export const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1)

/** Prints a table: words to the left, figures to the right. The first row has the headings. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const columns = (rows[0] ?? []).map((_, at) => {
    const width = Math.max(...rows.map(row => row[at]?.length ?? 0))
    const hasWords = rows.slice(1).some(row => /^[a-z]/i.test(row[at] ?? ''))
    return (text: string) => (hasWords ? text.padEnd(width) : text.padStart(width))
  })
  for (const row of rows)
    say(
      columns
        .map((pad, at) => pad(row[at] ?? ''))
        .join('  ')
        .trimEnd(),
    )
}

/** How often work was done, and the times that it took, in milliseconds. */
export interface Measured {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export function summarize(times: readonly number[], seconds: number): Measured {
  return {
    count: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

/** Returns the processor time of this process in microseconds. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
