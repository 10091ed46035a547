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
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Returns a quantile of latencies, given in microseconds in any order, in milliseconds. */
export function quantileMs(latencies: Uint32Array, share: number): number {
  return quantile(latencies, share) / 1000
}

/** Formats milliseconds; nothing if there are none. */
export const ms = (value: number | undefined) =>
  value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1)

export const percent = (share: number) => `${(100 * share).toFixed(0)} %`

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
