/**
 * Epoch microseconds as the wire shows them: ISO 8601, UTC, six decimals.
 *
 * @example
 * formatMicros(1769851800123456) // '2026-01-31T09:30:00.123456Z'
 */
// Requirements: PAG-505
export function formatMicros(us: number): string {
  const ms = Math.floor(us / 1000)
  const rest = String(us - ms * 1000).padStart(3, '0')
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`
}

/**
 * An ISO 8601 date-time with offset as epoch microseconds; further digits of the second are cut off.
 *
 * @example
 * parseMicros('2026-01-31T09:30:00.123456Z') // 1769851800123456
 */
export function parseMicros(iso: string): number {
  const digits = /\.(\d+)/.exec(iso)?.[1] ?? ''
  const wholeSecond = Date.parse(iso.replace(/\.\d+/, ''))
  return wholeSecond * 1000 + Number(digits.padEnd(6, '0').slice(0, 6))
}
