import type { Moment } from './date.ts'

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** A moment, and its date shifted by the offset to be shown, so that UTC getters return local fields. */
interface Shown {
  readonly date: Date
  readonly moment: Moment
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
  moment: Moment,
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
