import type { JsonValue } from '../../base/json.ts'

/** An instant, and how far from UTC it is to be shown. */
export interface Moment {
  readonly epochMs: number
  readonly offsetMinutes: number
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?([Zz]|[+-]\d{2}:?\d{2})?$/

/** Longer text is no date, and the engine's own parser is not to be fed any length. */
const longestDate = 64

/** Seconds since 1970, ISO 8601, `now`, or what JavaScript can read; without an offset it is UTC. */
export function parseMoment(value: JsonValue, nowMs: () => number): Moment | undefined {
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
  const match = iso.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const offset = offsetOf(zone)
  const utc = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`,
  )
  return at(utc - offset * 60_000, offset)
}

/** `March 14, 2016`, `3/14/2016`, RFC 2822: forms the engine reads in the host's zone unless told another. */
function parseLoosely(text: string): Moment | undefined {
  const zone = /(?:\b(?:z|gmt|utc|ut)|[+-]\d{2}:?\d{2}|\b[ecmp][sd]t)\s*(?:\(.*\))?$/i.exec(text)
  return zone ? at(Date.parse(text), offsetOf(zone[0])) : at(Date.parse(`${text} UTC`))
}

function offsetOf(zone: string): number {
  const match = /([+-])(\d{2}):?(\d{2})/.exec(zone)
  if (!match) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return match[1] === '-' ? -minutes : minutes
}
