import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { findExcess } from '../../base/json/json-bounds.ts'
import { readCustomResponse } from '../custom-response.ts'
import type { Outcome } from '../sandbox.ts'
import { type FormulaErrorName, formulaErrors, type Thrown, thrownLimits } from './messages.ts'

const reasons = ['threw', 'memory', 'output', 'shape'] as const
/** A formula may return 64 levels, and 100,000 members each in `raw` and `tokenize`; the report adds a level. */
const bounds = { depth: 65, count: 200_100 }
const longestDetail = 500
const most = 100

/** A report that the runner program never sends. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/**
 * Converts the report of a runner to an outcome. The formula may have taken over the runner, so everything in the
 * report is checked.
 *
 * @param headerPrefix in lower case
 * @param explains true if the formula's own words are wanted; otherwise they are dropped
 * @throws {ReportError}
 */
export function readReport(bytes: Uint8Array, headerPrefix: string, explains = false): Outcome {
  const report = parse(bytes)
  if (!isJsonObject(report)) throw new ReportError('the report is not an object')
  const thrown = explains ? thrownOf(report) : {}
  switch (report.kind) {
    case 'answered':
      return {
        kind: 'answered',
        ...(report.raw === undefined ? {} : { raw: report.raw }),
        // As for all optional members, null means absent.
        ...(report.tokenize === undefined || report.tokenize === null ? {} : { tokenize: report.tokenize }),
      }
    case 'custom':
      return readCustomResponse(report.response, headerPrefix)
    case 'refused':
      return { ...refused(report), ...thrown }
    case 'unusable':
      return { kind: 'unusable', detail: detailOf(report), ...thrown }
    case 'failed': {
      const reason = reasons.find(one => one === report.reason)
      if (!reason) throw new ReportError('the reason is unknown')
      return { kind: 'failed', reason, detail: detailOf(report), ...thrown }
    }
    default:
      throw new ReportError('the kind is unknown')
  }
}

function refused({ error, errors }: Record<string, JsonValue>): Extract<Outcome, { kind: 'refused' }> {
  const name = Object.keys(formulaErrors).find((one): one is FormulaErrorName => one === error)
  if (!name || !isJsonObject(errors)) throw new ReportError('the error is not valid')
  const paths = Object.entries(errors).slice(0, most)
  const read = paths.map(([path, messages]) => {
    if (!Array.isArray(messages)) throw new ReportError('the messages are not a list')
    return [path.slice(0, 200), messages.slice(0, most).map(message => `${message}`.slice(0, 1_000))] as const
  })
  return { kind: 'refused', error: name, errors: Object.fromEntries(read) }
}

/** Only texts are passed on, each with a bound. */
function thrownOf({ thrown }: Record<string, JsonValue>): { readonly thrown?: Thrown } {
  if (!isJsonObject(thrown)) return {}
  const { message, stack } = thrown
  const cut = (text: JsonValue | undefined, most: number) =>
    typeof text === 'string' ? text.slice(0, most).toWellFormed() : ''
  const lines = Array.isArray(stack) ? stack.slice(0, thrownLimits.lines) : []
  return {
    thrown: {
      message: cut(message, thrownLimits.message),
      stack: lines.map(line => cut(line, thrownLimits.line)),
    },
  }
}

function detailOf({ detail }: Record<string, JsonValue>): string {
  return typeof detail === 'string' ? detail.slice(0, longestDetail) : 'the formula failed'
}

function parse(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // Many levels or members make the parser slow; this check in advance is cheap.
  if (findExcess(text, bounds)) throw new ReportError('nested too deeply, or too many members')
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    throw new ReportError('not JSON')
  }
  // The runner program refuses this name, since assigning such a member would set a prototype.
  if (/__proto__|\\u/i.test(text) && holdsProto(value)) throw new ReportError('a member is named __proto__')
  return value
}

function holdsProto(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto)
}
