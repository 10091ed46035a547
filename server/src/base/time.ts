import { parseDateTime } from './date-time.ts'

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
 * Parses an ISO 8601 date-time with offset into epoch microseconds; further digits of the second are cut off. NaN for a
 * leap second, which Node's clock does not have.
 *
 * @example
 * parseMicros('2026-01-31T09:30:00.123456Z') // 1769851800123456
 */
export function parseMicros(iso: string): number {
  // RFC 3339 allows lower case, and a space for the T.
  const read = parseDateTime(iso.toUpperCase().replace(/\s/, 'T'))
  if (!read) return Number.NaN
  return read.ms * 1000 + Number(read.fraction.padEnd(6, '0').slice(0, 6))
}
