import type { JsonValue } from '../base/json.ts'
import { findExcess } from '../base/json-bounds.ts'
import { readCustomResponse } from './custom-response.ts'
import { formulaErrorNames } from './messages.ts'
import type { Outcome } from './sandbox.ts'

const reasons = ['threw', 'memory', 'output', 'shape'] as const
/** A formula may give 64 levels, and 100,000 members in `raw` and as many to tokenize; the report is around them. */
const bounds = { depth: 65, count: 200_100 }
const longestDetail = 500
const most = 100

/** A report that no runner of ours would send. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/**
 * What a runner reports, made an outcome. The runner is the formula's own process, so nothing in the report is
 * taken for granted.
 *
 * @param headerPrefix in lower case
 * @throws {ReportError}
 */
export function readReport(bytes: Uint8Array, headerPrefix: string): Outcome {
  const report = parse(bytes)
  if (!isObject(report)) throw new ReportError('a report is an object')
  switch (report.kind) {
    case 'answered':
      return answered(report)
    case 'custom':
      return readCustomResponse(report.response, headerPrefix)
    case 'refused':
      return refused(report)
    case 'unusable':
      return { kind: 'unusable', detail: detailOf(report) }
    case 'failed': {
      const reason = reasons.find(one => one === report.reason)
      if (!reason) throw new ReportError('the reason is unknown')
      return { kind: 'failed', reason, detail: detailOf(report) }
    }
    default:
      throw new ReportError('the kind is unknown')
  }
}

function answered({ raw, tokenize }: Record<string, JsonValue>): Outcome {
  return {
    kind: 'answered',
    ...(raw === undefined ? {} : { raw }),
    // As for every optional member, null is none.
    ...(tokenize === undefined || tokenize === null ? {} : { tokenize }),
  }
}

function refused({ error, errors }: Record<string, JsonValue>): Outcome {
  const name = formulaErrorNames.find(one => one === error)
  if (!name || !isObject(errors)) throw new ReportError('the error is unknown')
  const paths = Object.entries(errors).slice(0, most)
  const read = paths.map(([path, messages]) => {
    if (!Array.isArray(messages)) throw new ReportError('messages are a list')
    return [path.slice(0, 200), messages.slice(0, most).map(message => `${message}`.slice(0, 1_000))] as const
  })
  return { kind: 'refused', error: name, errors: Object.fromEntries(read) }
}

function detailOf({ detail }: Record<string, JsonValue>): string {
  return typeof detail === 'string' ? detail.slice(0, longestDetail) : 'the formula failed'
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // Many levels or members cost the parser far more than their length; a glance in front costs next to nothing.
  if (findExcess(text, bounds)) throw new ReportError('nested too deeply, or too many members')
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    throw new ReportError('not JSON')
  }
  // A runner of ours refuses such a member, as it could not come back as it is: assigned, it would be a prototype.
  if (/__proto__|\\u/i.test(text) && holdsProto(value)) throw new ReportError('a member is named __proto__')
  return value
}

function holdsProto(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto)
}
