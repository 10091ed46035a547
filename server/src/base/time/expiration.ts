import { invalid } from '../errors.ts'
import { parseDateTime } from './date-time.ts'

interface Expiration {
  /** In ISO 8601 (RFC 3339), with the offset that was given, as `±hh:mm`. */
  readonly echo: string
  /** Epoch milliseconds, rounded up: nothing ends before its time. */
  readonly ms: number
}

export const expirationSpellings =
  'an ISO 8601 date or date-time (UTC unless it has an offset), M/D/YYYY, or M/D/YYYY h:mm:ss AM|PM with an optional offset; an offset is ±hh:mm, ±hhmm or ±hh'

/**
 * Parses an expiration in any accepted spelling; returns `undefined` for any other text and for days that are not in the
 * calendar.
 *
 * @example
 * parseExpiration('8/26/2030') // { echo: '2030-08-26T00:00:00Z', ms: 1913932800000 }
 * parseExpiration('2030-08-26T07:23:57-07')?.echo // '2030-08-26T07:23:57-07:00'
 */
// Requirements: TOK-012, TOK-013, TOK-014, TOK-507, TOK-530
export function parseExpiration(text: string): Expiration | undefined {
  const iso =
    fromUnitedStates(text) ?? text.replace(typedTime, typed => typed.toUpperCase().replace(' ', 'T'))
  const { ms = 0, fraction = '', local, offset = 'Z' } = parseDateTime(iso) ?? {}
  if (local === undefined || fraction.length > 9) return undefined
  const shownFraction = fraction === '' ? '' : `.${fraction}`
  return {
    echo: `${local}${shownFraction}${spelledOut(offset)}`,
    ms: ms + Math.ceil(Number(fraction.padEnd(9, '0')) / 1e6),
  }
}

/** Like `parseExpiration`, for an expiration that lies in the future. @throws {ServiceError} validation */
// Requirements: TOK-015, TOK-505
export function readExpiration(text: string, nowUs: number): Expiration {
  const expiration = parseExpiration(text)
  if (!expiration) throw invalid('expires_at', `must be ${expirationSpellings}`)
  if (expiration.ms * 1000 <= nowUs) throw invalid('expires_at', 'must lie in the future')
  return expiration
}

/** The letters of ISO 8601 that RFC 3339 allows in lower case, and a space that it allows for the `T`. */
const typedTime = /(?<=^\d{4}-\d\d-\d\d)[t ](?=\d)|(?<=\d)z$/g

const unitedStates =
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?: (?<hour>\d{1,2})(?<rest>:\d\d:\d\d) (?<half>AM|PM)(?: (?<offset>[+-]\d\d(?::?\d\d)?))?)?$/

/** `8/26/2030 7:23:57 PM` in ISO 8601; `undefined` for any other form. */
function fromUnitedStates(text: string): string | undefined {
  const { year, month = '', day = '', hour, rest, half, offset = '' } = unitedStates.exec(text)?.groups ?? {}
  if (year === undefined) return undefined
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (hour === undefined) return date
  if (Number(hour) < 1 || Number(hour) > 12) return undefined
  const hourOfDay = (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
  return `${date}T${String(hourOfDay).padStart(2, '0')}${rest}${offset}`
}

/** `+02` and `+0200` as `+02:00`, the only form that RFC 3339 has. */
function spelledOut(offset: string): string {
  if (offset === 'Z') return offset
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}
