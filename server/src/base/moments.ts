/** The microseconds a date or date-time stands for, both ends included; none where `toUs` lies before `fromUs`. */
export interface Span {
  readonly fromUs: number
  readonly toUs: number
}

const form =
  /^(?<date>\d{4}-\d\d-\d\d)(?:T(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:Z|[+-]00:00)?)?$/

const dayUs = 86_400_000_000

/**
 * A date is its whole UTC day, a date-time is that microsecond. One between two microseconds, the clock's
 * smallest step, is no moment at all but still lies before or after every other.
 *
 * @example
 * readMoment('1970-01-02') // { fromUs: 86400000000, toUs: 172799999999 }
 * readMoment('1970-01-01T00:00:01.5Z') // { fromUs: 1500000, toUs: 1500000 }
 */
// Requirements: SEA-504
export function readMoment(text: string): Span | undefined {
  const { date = '', hour, minute = '00', second = '00', fraction = '' } = form.exec(text)?.groups ?? {}
  const midnightMs = Date.parse(`${date}T00:00:00Z`)
  // Date takes the 30th of February for the 2nd of March.
  if (Number.isNaN(midnightMs) || !new Date(midnightMs).toISOString().startsWith(date)) return undefined
  const midnightUs = midnightMs * 1000
  if (hour === undefined) return { fromUs: midnightUs, toUs: midnightUs + dayUs - 1 }
  const digits = fraction.padEnd(9, '0')
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const us = midnightUs + seconds * 1_000_000 + Number(digits.slice(0, 6))
  return digits.endsWith('000') ? { fromUs: us, toUs: us } : { fromUs: us + 1, toUs: us }
}
