/** A date or date-time of ISO 8601. */
interface DateTime {
  /** Epoch milliseconds of the whole second. Without an offset, the time is UTC. */
  readonly ms: number
  /** The digits behind the whole second; empty if there are none. */
  readonly fraction: string
  /** As written, without fraction and offset; midnight for a date. */
  readonly local: string
  /** As written: `Z`, `±hh:mm`, `±hhmm` or `±hh`; absent if there is none. */
  readonly offset: string | undefined
  readonly isDate: boolean
}

const form =
  /^(?<date>\d{4}-\d\d-\d\d)(?:T(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:[.,](?<fraction>\d+))?)?(?<offset>Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/

/**
 * Parses `YYYY-MM-DD` or `YYYY-MM-DDThh:mm[:ss[.fraction]][offset]`. Returns `undefined` for any other text, and for days
 * that are not in the calendar.
 */
export function parseDateTime(text: string): DateTime | undefined {
  const groups = form.exec(text)?.groups
  if (!groups) return undefined
  const { date = '', hour, minute = '00', second = '00', fraction = '', offset } = groups
  const local = `${date}T${hour ?? '00'}:${minute}:${second}`
  const localMs = Date.parse(`${local}Z`)
  // Date takes the 30th of February for the 2nd of March.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(date)) return undefined
  return { ms: localMs - offsetMs(offset), fraction, local, offset, isDate: hour === undefined }
}

function offsetMs(offset = 'Z'): number {
  if (offset === 'Z') return 0
  const [, sign, hours, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

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

/** The microseconds of a date or date-time, both ends included; none if `toUs` lies before `fromUs`. */
export interface Span {
  readonly fromUs: number
  readonly toUs: number
}

const dayUs = 86_400_000_000

const utc: readonly (string | undefined)[] = [undefined, 'Z', '+00:00', '-00:00']

/**
 * Parses a date, which is its whole UTC day, or a UTC date-time, which is one microsecond. A date-time between two
 * microseconds, the smallest step of the clock, contains none, but still lies before or after every other.
 *
 * @example
 * readMoment('1970-01-02') // { fromUs: 86400000000, toUs: 172799999999 }
 * readMoment('1970-01-01T00:00:01.5Z') // { fromUs: 1500000, toUs: 1500000 }
 */
// Requirements: SEA-504
export function readMoment(text: string): Span | undefined {
  const read = parseDateTime(text)
  if (!read || read.fraction.length > 9 || !utc.includes(read.offset)) return undefined
  const secondUs = read.ms * 1000
  if (read.isDate) return { fromUs: secondUs, toUs: secondUs + dayUs - 1 }
  const digits = read.fraction.padEnd(9, '0')
  const us = secondUs + Number(digits.slice(0, 6))
  return digits.endsWith('000') ? { fromUs: us, toUs: us } : { fromUs: us + 1, toUs: us }
}
