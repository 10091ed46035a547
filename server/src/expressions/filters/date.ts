import type { JsonValue } from '../../base/json/json.ts'
import { parseDateTime } from '../../base/time/date-time.ts'
import type { Run } from '../run.ts'
import { toText } from '../text.ts'
import { type FilterFamily, unsuitable } from './filter.ts'
import { strftime } from './strftime.ts'

/** An instant, and the UTC offset at which it is shown. */
export interface Moment {
  readonly epochMs: number
  readonly offsetMinutes: number
}

/** Longer text is not a date. The limit also bounds the time of `Date.parse`. */
const longestDate = 64

/** Parses seconds since 1970, ISO 8601, `now`, or any form that JavaScript can parse; UTC unless it has an offset. */
function parseMoment(value: JsonValue, nowMs: () => number): Moment | undefined {
  if (value === 'now' || value === 'today') return at(nowMs())
  if (typeof value === 'number') return at(value * 1000)
  if (typeof value !== 'string' || value.length > longestDate) return undefined
  if (/^\d+$/.test(value)) return at(Number(value) * 1000)
  return parseIso(value) ?? parseLoosely(value)
}

function at(epochMs: number, offsetMinutes = 0): Moment | undefined {
  const whole = Math.floor(epochMs)
  return Number.isNaN(new Date(whole).getTime()) ? undefined : { epochMs: whole, offsetMinutes }
}

function parseIso(text: string): Moment | undefined {
  // `2026-01-31 09:30:00 +01:00` is common too.
  const strict = text
    .toUpperCase()
    .replace(/ (?=\d)/, 'T')
    .replace(' ', '')
  const read = parseDateTime(strict)
  if (!read) return undefined
  return at(read.ms + Number(read.fraction.padEnd(3, '0').slice(0, 3)), offsetOf(read.offset ?? 'Z'))
}

/** Parses `March 14, 2016`, `3/14/2016`, RFC 2822: forms that `Date.parse` reads in the host's zone by default. */
function parseLoosely(text: string): Moment | undefined {
  const zone = /(?:\b(?:z|gmt|utc|ut)|[+-]\d{2}:?\d{2}|\b[ecmp][sd]t)\s*(?:\(.*\))?$/i.exec(text)
  return zone ? at(Date.parse(text), offsetOf(zone[0])) : at(Date.parse(`${text} UTC`))
}

function offsetOf(zone: string): number {
  const match = /([+-])(\d{2}):?(\d{2})?/.exec(zone)
  if (!match) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  return match[1] === '-' ? -minutes : minutes
}

/** Liquid's default format. */
const defaultFormat = '%A, %B %-e, %Y at %-l:%M %P %z'

export const dateFilters: FilterFamily = {
  /**
   * Formats a date as strftime does; returns any other value unchanged. Dates are shown in UTC, whatever the time
   * zone of the host, or at their own offset if they have one. `now` is the time of the server's clock. With an empty
   * format the value is unchanged, too, as in Ruby's Liquid.
   * @example {{ 'March 14, 2016' | date: '%b %d, %y' }} → Mar 14, 16
   */
  date: {
    takes: [0, 1],
    apply: (input: JsonValue, [format], run: Run) => {
      const pattern = format === undefined ? defaultFormat : toText(format, run)
      const moment = pattern === '' ? undefined : parseMoment(input, run.sources.nowMs)
      if (!moment) return input
      return strftime(moment, pattern, (width, length) => {
        run.meter.step(4)
        if (width > longestField) throw unsuitable(`pads to at most ${longestField} characters`)
        run.meter.text(length + width)
      })
    },
  },
}

const longestField = 1_000
