import { parseDateTime } from './date-time.ts'

/** The minute that was written last, in minutes since the epoch, and its text up to the seconds: most times of a page share it. */
let lastMinute = Number.NaN
let lastText = ''

/**
 * Epoch microseconds as the wire shows them: ISO 8601, UTC, six decimals.
 *
 * @example
 * formatMicros(1769851800123456) // '2026-01-31T09:30:00.123456Z'
 */
// Requirements: PAG-505
export function formatMicros(us: number): string {
  const minute = Math.floor(us / 60e6)
  if (minute !== lastMinute) {
    lastText = new Date(minute * 60e3).toISOString().slice(0, -'00.000Z'.length)
    lastMinute = minute
  }
  // A 1 in front keeps the leading zeros of the seconds.
  const digits = String(100e6 + us - minute * 60e6)
  return `${lastText}${digits.slice(1, 3)}.${digits.slice(3)}Z`
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
