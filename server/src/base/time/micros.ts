import { parseDateTime } from './date-time.ts'

const two = (number: number) => (number < 10 ? `0${number}` : String(number))

/**
 * Epoch microseconds as the wire shows them: ISO 8601, UTC, six decimals.
 *
 * @example
 * formatMicros(1769851800123456) // '2026-01-31T09:30:00.123456Z'
 */
// Requirements: PAG-505
export function formatMicros(us: number): string {
  const date = new Date(Math.floor(us / 1000))
  const day = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
  const minute = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  // A 1 in front keeps the leading zeros.
  const micros = String(1e6 + us - Math.floor(us / 1e6) * 1e6).slice(1)
  return `${day}T${minute}:${two(date.getUTCSeconds())}.${micros}Z`
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
