import { comparableId } from '../../base/comparable-id.ts'
import { invalid, ServiceError } from '../../base/errors.ts'
import type { Pass } from '../../base/flow/turns.ts'
import { type JsonObject, type JsonValue, parseJson, parseJsonInTurns } from '../../base/json/json.ts'
import { toMalformedJson } from '../../base/json/malformed-json.ts'
import { didYouMean } from '../../base/near-names.ts'
import { decodeText, decodeUtf8, NotUtf8 } from '../../base/utf8.ts'
import type { QueryParameter } from '../../contract/contract.ts'
import type { CoreRequest } from '../transport/message.ts'

/**
 * Parses a query string into the parameters of the contract: lists, integers and maps (`metadata.k=v`; of a repeated
 * key the first counts). Skips unknown parameters, which `refuseUnknownParameters` refuses.
 * @throws {ServiceError} validation
 */
export function parseQuery(query: string, parameters: readonly QueryParameter[]): JsonObject {
  if (query === '' || parameters.length === 0) return {}
  const values: JsonObject = {}
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    const name = decode(rawName, 'query')
    const parameter = parameters.find(one => matches(one, name))
    if (!parameter) continue
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), parameter.name)
    assign(values, parameter, name, value)
  }
  return values
}

/** Returns the parsed query with the contract's defaults for parameters that it does not have. */
export function withDefaults(query: JsonObject, parameters: readonly QueryParameter[]): JsonObject {
  if (parameters.length === 0) return query
  const complete = { ...query }
  for (const { name, default: value } of parameters) {
    if (value !== undefined && !Object.hasOwn(query, name)) complete[name] = value
  }
  return complete
}

/**
 * Refuses parameters that the contract does not name: a filter that was ignored would find everything.
 * @param isKnown accepts further names
 * @throws {ServiceError} validation, with the right spelling
 */
// Requirements: WIR-547
export function refuseUnknownParameters(
  query: string,
  parameters: readonly QueryParameter[],
  isKnown?: (name: string) => boolean,
): void {
  if (query === '') return
  for (const name of new URLSearchParams(query).keys()) {
    if (parameters.some(one => matches(one, name)) || isKnown?.(name)) continue
    const right = rightSpelling(name, parameters)
    // Names that do not look like names may be data.
    const shown = parameterName.test(name) ? name : '?'
    throw new ServiceError('validation', `unknown query parameter ${shown}; ${right}`, {
      errors: { [shown]: [`is not a parameter; ${right}`] },
    })
  }
}

/** An identifier, also with a member in brackets or behind a dot, as other services spell lists and maps. */
const parameterName =
  /^(?=.{1,100}$)[A-Za-z_$][\w$-]*(?:\[(?:[A-Za-z_$][\w$-]*|\d{0,4})\]|\.(?:[A-Za-z_$][\w$-]*|\d{1,4}))*$/

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** Returns what to write in place of an unknown parameter. */
function rightSpelling(given: string, parameters: readonly QueryParameter[]): string {
  const names = parameters.map(({ name, kind, keySeparator }) =>
    kind === 'map' ? `${name}${keySeparator}KEY` : name,
  )
  if (names.length === 0) return 'this operation has no query parameters'
  const [base = ''] = given.split(/[[.]/, 1)
  const at = parameters.findIndex(({ name }) => plain(name) === plain(base))
  if (at >= 0) {
    const repeats = parameters[at]?.kind === 'list' ? ', once for each value' : ''
    return `did you mean ${names[at]}${repeats}?`
  }
  return didYouMean(base, names).slice(2) || `the parameters are ${names.join(', ')}`
}

/**
 * Decodes path parameters, as ids by which things are looked up: UUIDs become lower case.
 * @throws {ServiceError} validation
 */
export function parsePathParameters(raw: Readonly<Record<string, string>>): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const name of Object.keys(raw)) {
    parameters[name] = comparableId(decode(raw[name] ?? '', name, false))
  }
  return parameters
}

function matches(parameter: QueryParameter, name: string): boolean {
  if (parameter.kind !== 'map') return parameter.name === name
  return name.startsWith(parameter.name + parameter.keySeparator)
}

function assign(values: JsonObject, parameter: QueryParameter, name: string, value: string): void {
  const { name: key, kind } = parameter
  if (kind === 'map') {
    const entries = (values[key] ?? Object.create(null)) as JsonObject
    const entry = name.slice(key.length + parameter.keySeparator.length)
    // Requirements: TOK-023
    if (!(entry in entries)) entries[entry] = value
    values[key] = entries
    return
  }
  if (kind === 'list') {
    const list = (values[key] as string[] | undefined) ?? []
    list.push(value)
    values[key] = list
    return
  }
  if (values[key] !== undefined) throw invalid(key, 'must be given once')
  values[key] = kind === 'integer' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

function decode(text: string, name: string, plusIsSpace = true): string {
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text
  // Like most ids.
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw invalid(name, 'is not percent-encoded UTF-8')
  }
}

/** @throws {ServiceError} payload_too_large */
// Requirements: ERR-511
export function readBodyWithin(
  request: CoreRequest,
  limitBytes: number,
  tenant: string,
): Promise<Uint8Array> {
  return request.readBody(limitBytes, tenant).then(bytes => {
    if (bytes) return bytes
    throw new ServiceError('payload_too_large', `the body must not be longer than ${limitBytes} bytes`)
  })
}

/** @throws {ServiceError} malformed_json */
export function parseBody(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(decodeBody(bytes))
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** Like `parseBody`, for a large body: yields to other requests. */
export async function parseBodyInTurns(bytes: Uint8Array, pass: Pass): Promise<JsonValue> {
  try {
    const text = decodeBody(bytes)
    await pass()
    return await parseJsonInTurns(text, pass)
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** Decodes a body that is itself a text: keeps a byte-order mark. @throws {ServiceError} validation */
export function decodePlain(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? decodeBody(bytes, 'validation')
}

/** @throws {ServiceError} the code, if the bytes are not UTF-8 */
function decodeBody(bytes: Uint8Array, code: 'malformed_json' | 'validation' = 'malformed_json'): string {
  try {
    return decodeText(bytes, 'the body')
  } catch (error) {
    throw error instanceof NotUtf8 ? new ServiceError(code, error.message) : error
  }
}
