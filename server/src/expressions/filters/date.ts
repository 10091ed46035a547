import type { JsonValue } from '../../base/json/json.ts'
import { parseDateTime } from '../../base/time/date-time.ts'
import type { Run } from '../run.ts'
import { toText } from '../text.ts'
import { type FilterFamily, unsuitable } from './filter.ts'

/** An instant, and the UTC offset at which it is shown. */
interface Instant {
  readonly epochMs: number
  readonly offsetMinutes: number
}

/** Longer text is not a date. The limit also bounds the time of `Date.parse`. */
const longestDate = 64

/** Parses seconds since 1970, ISO 8601, `now`, or any form that JavaScript can parse; UTC unless it has an offset. */
function parseInstant(value: JsonValue, nowMs: () => number): Instant | undefined {
  if (value === 'now' || value === 'today') return at(nowMs())
  if (typeof value === 'number') return at(value * 1000)
  if (typeof value !== 'string' || value.length > longestDate) return undefined
  if (/^\d+$/.test(value)) return at(Number(value) * 1000)
  return parseIso(value) ?? parseLoosely(value)
}

function at(epochMs: number, offsetMinutes = 0): Instant | undefined {
  const whole = Math.floor(epochMs)
  return Number.isNaN(new Date(whole).getTime()) ? undefined : { epochMs: whole, offsetMinutes }
}

function parseIso(text: string): Instant | undefined {
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
function parseLoosely(text: string): Instant | undefined {
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
      const moment = pattern === '' ? undefined : parseInstant(input, run.sources.nowMs)
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

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** A moment, and its date shifted by the offset to be shown, so that UTC getters return local fields. */
interface Shown {
  readonly date: Date
  readonly moment: Instant
}

interface Directive {
  readonly width?: number
  readonly pad?: string
  readonly of: (shown: Shown, flags: string, width: number) => string | number
}

/**
 * Formats a moment as C and Ruby do. Calls `spend` with the width of each directive and the length so far; it may
 * throw, since a format can come from data.
 */
export function strftime(
  moment: Instant,
  format: string,
  spend: (width: number, length: number) => void,
): string {
  const shown = { moment, date: new Date(moment.epochMs + moment.offsetMinutes * 60_000) }
  // A width cannot begin with 0, which is a flag: otherwise runs of zeros could match in many ways.
  const pattern = /%([-_0^#:]*)([1-9]\d*)?([a-zA-Z%])/g
  let text = ''
  let end = 0
  let length = 0
  // Matched one by one: `replace` would find all directives before the first is charged.
  for (let found = pattern.exec(format); found; found = pattern.exec(format)) {
    const [source, flags = '', digits, code = ''] = found
    const directive = Object.hasOwn(directives, code) ? directives[code] : undefined
    text += format.slice(end, found.index)
    end = found.index + source.length
    if (!directive) text += source
    else {
      const width = Number(digits ?? 0)
      spend(width, length)
      const field = formatField(directive, shown, flags, width)
      length += field.length
      text += field
    }
  }
  return text + format.slice(end)
}

function formatField(directive: Directive, shown: Shown, flags: string, width: number): string {
  const value = String(directive.of(shown, flags, width))
  const text = flags.includes('^') ? value.toUpperCase() : flags.includes('#') ? swapCase(value) : value
  if (flags.includes('-')) return text
  const pad = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : (directive.pad ?? ' ')
  return text.padStart(width || (directive.width ?? 0), pad)
}

function swapCase(text: string): string {
  return /[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase()
}

function dayOfYear({ date }: Shown): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

/** Returns the week of the year. Weeks begin on `first`; days before the first such day are in week 0. */
function weekOfYear(shown: Shown, first: number): number {
  const since = (shown.date.getUTCDay() - first + 7) % 7
  return Math.floor((dayOfYear(shown) + 6 - since) / 7)
}

function offset({ moment }: Shown, flags: string): string {
  const minutes = Math.abs(moment.offsetMinutes)
  const [hour, rest] = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'))
  return `${moment.offsetMinutes < 0 ? '-' : '+'}${hour}${flags.includes(':') ? ':' : ''}${rest}`
}

function composed(format: string): Directive {
  return { of: ({ moment }) => strftime(moment, format, () => {}) }
}

function number(width: number, of: (shown: Shown) => number, pad = '0'): Directive {
  return { width, pad, of }
}

const directives: Readonly<Record<string, Directive>> = {
  a: { of: ({ date }) => (days[date.getUTCDay()] ?? '').slice(0, 3) },
  A: { of: ({ date }) => days[date.getUTCDay()] ?? '' },
  b: { of: ({ date }) => (months[date.getUTCMonth()] ?? '').slice(0, 3) },
  h: { of: ({ date }) => (months[date.getUTCMonth()] ?? '').slice(0, 3) },
  B: { of: ({ date }) => months[date.getUTCMonth()] ?? '' },
  c: composed('%a %b %e %H:%M:%S %Y'),
  C: number(2, ({ date }) => Math.floor(date.getUTCFullYear() / 100)),
  d: number(2, ({ date }) => date.getUTCDate()),
  D: composed('%m/%d/%y'),
  e: number(2, ({ date }) => date.getUTCDate(), ' '),
  F: composed('%Y-%m-%d'),
  H: number(2, ({ date }) => date.getUTCHours()),
  I: number(2, ({ date }) => date.getUTCHours() % 12 || 12),
  j: number(3, dayOfYear),
  k: number(2, ({ date }) => date.getUTCHours(), ' '),
  l: number(2, ({ date }) => date.getUTCHours() % 12 || 12, ' '),
  L: number(3, ({ date }) => date.getUTCMilliseconds()),
  m: number(2, ({ date }) => date.getUTCMonth() + 1),
  M: number(2, ({ date }) => date.getUTCMinutes()),
  n: { of: () => '\n' },
  N: {
    of: ({ date }, _, width) =>
      String(date.getUTCMilliseconds())
        .padStart(3, '0')
        .padEnd(width || 9, '0')
        .slice(0, width || 9),
  },
  p: { of: ({ date }) => (date.getUTCHours() < 12 ? 'AM' : 'PM') },
  P: { of: ({ date }) => (date.getUTCHours() < 12 ? 'am' : 'pm') },
  r: composed('%I:%M:%S %p'),
  R: composed('%H:%M'),
  s: { of: ({ moment }) => Math.floor(moment.epochMs / 1000) },
  S: number(2, ({ date }) => date.getUTCSeconds()),
  t: { of: () => '\t' },
  T: composed('%H:%M:%S'),
  u: { of: ({ date }) => date.getUTCDay() || 7 },
  U: number(2, shown => weekOfYear(shown, 0)),
  w: { of: ({ date }) => date.getUTCDay() },
  W: number(2, shown => weekOfYear(shown, 1)),
  x: composed('%m/%d/%y'),
  X: composed('%H:%M:%S'),
  y: number(2, ({ date }) => date.getUTCFullYear() % 100),
  Y: number(4, ({ date }) => date.getUTCFullYear()),
  z: { of: offset },
  Z: { of: shown => (shown.moment.offsetMinutes === 0 ? 'UTC' : offset(shown, ':')) },
  '%': { of: () => '%' },
}
