import { parseDateTime } from './date-time.ts'

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
