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
