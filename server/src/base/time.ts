import { parseDateTime } from './date-time.ts'

/** The minute that was written last, and its text up to the seconds: most times of a page are in the same one. */
let minute = Number.NaN
let ofMinute = ''

/**
 * Epoch microseconds as the wire shows them: ISO 8601, UTC, six decimals.
 *
 * @example
 * formatMicros(1769851800123456) // '2026-01-31T09:30:00.123456Z'
 */
// Requirements: PAG-505
export function formatMicros(us: number): string {
  const of = Math.floor(us / 60e6)
  if (of !== minute) {
    ofMinute = new Date(of * 60e3).toISOString().slice(0, -'00.000Z'.length)
    minute = of
  }
  // With a digit before the eight of the seconds, so that none of them is lost.
  const digits = String(100e6 + us - of * 60e6)
  return `${ofMinute}${digits.slice(1, 3)}.${digits.slice(3)}Z`
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
