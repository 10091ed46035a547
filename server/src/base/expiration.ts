export interface Expiration {
  /** The instant in ISO 8601 (RFC 3339), with the offset it was given in as `±hh:mm`. */
  readonly echo: string
  /** Epoch milliseconds, rounded up: nothing ends before its time. */
  readonly ms: number
}

const isoDate = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/
const isoDateTime =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?<fraction>[.,]\d{1,9})?)?(?<offset>Z|[+-]\d\d(?::?\d\d)?)?$/
const shortDate = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/
const shortDateTime =
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}) (?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d) (?<half>AM|PM)(?: (?<offset>[+-]\d\d(?::?\d\d)?))?$/

export const expirationSpellings =
  'an ISO 8601 date or date-time (UTC unless it has an offset), M/D/YYYY, or M/D/YYYY h:mm:ss AM|PM with an optional offset; an offset is ±hh:mm, ±hhmm or ±hh'

/**
 * Reads an expiration in any accepted spelling; `undefined` where it is none, or no real date.
 *
 * @example
 * parseExpiration('8/26/2030') // { echo: '2030-08-26T00:00:00Z', ms: 1913932800000 }
 * parseExpiration('2030-08-26T07:23:57-07')?.echo // '2030-08-26T07:23:57-07:00'
 */
// Requirements: TOK-012, TOK-013, TOK-014, TOK-507, TOK-530
export function parseExpiration(text: string): Expiration | undefined {
  for (const spelling of [isoDateTime, isoDate, shortDate, shortDateTime]) {
    const groups = spelling.exec(text)?.groups
    if (groups) return toExpiration(groups)
  }
  return undefined
}

function toExpiration(groups: Record<string, string | undefined>): Expiration | undefined {
  const { year = '', month = '', day = '', minute = '00', second = '00', fraction = '', half } = groups
  const offset = spelledOut(groups.offset ?? 'Z')
  const hour = half === undefined ? Number(groups.hour ?? 0) : hourOfDay(Number(groups.hour), half)
  if (hour === undefined || hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offsetMinutes = minutesOf(offset)
  if (offsetMinutes === undefined || !isCalendarDay(Number(year), Number(month), Number(day)))
    return undefined
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const seconds = (hour * 60 + Number(minute) - offsetMinutes) * 60 + Number(second)
  const digits = fraction.slice(1)
  const ms = midnight + seconds * 1000 + Math.ceil(Number(digits.padEnd(9, '0')) / 1e6)
  const two = (value: string | number) => String(value).padStart(2, '0')
  const shownFraction = digits === '' ? '' : `.${digits}`
  const time = `${two(hour)}:${two(minute)}:${two(second)}${shownFraction}`
  return { echo: `${year}-${two(month)}-${two(day)}T${time}${offset}`, ms }
}

function hourOfDay(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'PM' ? 12 : 0)
}

/** `+02` and `+0200` as `+02:00`: what is echoed is a date-time of RFC 3339. */
function spelledOut(offset: string): string {
  if (offset === 'Z') return offset
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}

function minutesOf(offset: string): number | undefined {
  if (offset === 'Z') return 0
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
