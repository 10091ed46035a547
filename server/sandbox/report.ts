import type { JsonValue } from '../base/json.ts'
import { findTooDeep } from '../base/json-depth.ts'
import { formulaErrorNames } from './messages.ts'
import type { Outcome } from './sandbox.ts'

const reasons = ['threw', 'memory', 'output', 'shape'] as const
const deepest = 80
const longestDetail = 500
const most = 100

/** A report that no runner of ours would send. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
}

/**
 * What a runner reports, made an outcome. The runner is the formula's own process, so nothing in the report is
 * taken for granted. @throws {ReportError}
 */
export function readReport(bytes: Uint8Array): Outcome {
  const report = parse(bytes)
  if (!isObject(report)) throw new ReportError('a report is an object')
  switch (report.kind) {
    case 'answered':
      return answered(report)
    case 'custom':
      return custom(report.response)
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

const headerName = /^(content-type|x-[a-z0-9!#$%&'*+.^_`|~-]{1,100})$/
const headerValue = /^[\t\x20-\x7e]{0,2000}$/

/** What `CustomHttpResponseError` was given. */
function custom(response: JsonValue | undefined): Outcome {
  const refuse = (what: string): Outcome => ({
    kind: 'failed',
    reason: 'shape',
    detail: `CustomHttpResponseError ${what}`,
  })
  if (!isObject(response)) return refuse('takes an object of status, headers and body')
  const { status, headers = {}, body } = response
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    return refuse('needs a status from 200 to 599')
  }
  const pairs = headers === null ? [] : isObject(headers) ? Object.entries(headers) : undefined
  if (!pairs || pairs.length > most) return refuse('takes headers as an object of at most 100')
  const read: Record<string, string> = {}
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    if (!headerName.test(key)) return refuse('may set content-type and headers that begin with x-, no others')
    if (typeof value !== 'string' || !headerValue.test(value)) {
      return refuse('takes text of printable ASCII as the value of a header')
    }
    if (Object.hasOwn(read, key)) return refuse('names a header twice')
    read[key] = value
  }
  if ([204, 205, 304].includes(status) && body !== undefined && body !== null) {
    return refuse(`has a body, which a response of status ${status} has not`)
  }
  return { kind: 'custom', status, headers: read, ...(body === undefined ? {} : { body }) }
}

function detailOf({ detail }: Record<string, JsonValue>): string {
  return typeof detail === 'string' ? detail.slice(0, longestDetail) : 'the formula failed'
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // Deep nesting costs the parser far more than its length; a glance in front costs next to nothing.
  if (findTooDeep(text, deepest) >= 0) throw new ReportError('nested too deeply')
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    throw new ReportError('not JSON')
  }
  // Parsed it is a member like any other; assigned to an object it would be its prototype.
  if (/__proto__|\\u/i.test(text)) dropProto(value)
  return value
}

function dropProto(value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return
  Reflect.deleteProperty(value, '__proto__')
  for (const member of Object.values(value)) dropProto(member)
}
