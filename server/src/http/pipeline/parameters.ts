import { comparableId } from '../../base/comparable-id.ts'
import { invalid, ServiceError } from '../../base/errors.ts'
import { isJsonObject, JsonError, type JsonObject, type JsonValue, parseJson } from '../../base/json/json.ts'
import { didYouMean } from '../../base/near-names.ts'
import type { QueryParameter } from '../../contract/contract.ts'
import { camelCase } from '../../contract/members.ts'

/**
 * Parses a query string into the parameters of the contract: texts, integers, lists and maps. Refuses every other
 * name: a filter that was ignored would find everything.
 * @throws {ServiceError} validation, with the right spelling
 */
// Requirements: WIR-547
export function parseQuery(query: string, parameters: readonly QueryParameter[]): JsonObject {
  const values: JsonObject = {}
  if (query === '') return values
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query')
    const parameter = parameters.find(one => matches(one, name))
    if (!parameter) throw unknownParameter(name, parameters)
    assign(values, parameter, name, decode(equals === -1 ? '' : pair.slice(equals + 1), parameter.name))
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

/** Returns the parameters that have another name in camelCase, under that name. */
export const inCamelCase = (parameters: readonly QueryParameter[]): QueryParameter[] =>
  parameters
    .map(one => ({ ...one, name: camelCase(one.name) }))
    .filter((one, at) => one.name !== parameters[at]?.name)

function matches(parameter: QueryParameter, name: string): boolean {
  return name === parameter.name || (parameter.kind === 'map' && entryOf(parameter, name) !== undefined)
}

/** Returns the key in `metadata.KEY` or `metadata[KEY]`. Lists and maps within a map (`[]`, `[a][b]`) are neither. */
function entryOf({ name, keySeparator }: QueryParameter, given: string): string | undefined {
  if (!given.startsWith(name)) return undefined
  const rest = given.slice(name.length)
  if (rest.startsWith(keySeparator)) return rest.slice(keySeparator.length)
  return rest.length > 2 && rest.startsWith('[') && rest.endsWith(']') && !rest.includes('][')
    ? rest.slice(1, -1)
    : undefined
}

function assign(values: JsonObject, parameter: QueryParameter, name: string, value: string): void {
  const { name: key, kind } = parameter
  if (kind === 'map') {
    const entries = (values[key] ?? Object.create(null)) as JsonObject
    values[key] = entries
    const entry = entryOf(parameter, name)
    if (entry !== undefined) assignFirst(entries, entry, value)
    else
      for (const [one, given] of Object.entries(parseMap(parameter, value))) assignFirst(entries, one, given)
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

// Requirements: TOK-023
function assignFirst(entries: JsonObject, key: string, value: JsonValue): void {
  if (!(key in entries)) entries[key] = value
}

/** Parses `metadata={"KEY":"VALUE"}`, as clients that are generated from contracts send it. */
function parseMap(parameter: QueryParameter, text: string): JsonObject {
  const { name } = parameter
  let value: JsonValue
  try {
    value = parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const path = error.path === '' ? name : `${name}.${error.path}`
    throw invalid(path, `${error.message}; did you mean ${spellingOf(parameter)}?`)
  }
  if (!isJsonObject(value))
    throw invalid(name, `is not a JSON object; did you mean ${spellingOf(parameter)}?`)
  return value
}

/** An identifier, also with a member in brackets or behind a dot, as other services spell lists and maps. */
const parameterName =
  /^(?=.{1,100}$)\?*[A-Za-z_$][\w$-]*(?:\[(?:[A-Za-z_$][\w$-]*|\d{0,4})\]|\.(?:[A-Za-z_$][\w$-]*|\d{1,4}))*$/

function unknownParameter(name: string, parameters: readonly QueryParameter[]): ServiceError {
  const right = rightSpelling(name, parameters)
  // Names that do not look like names may be data.
  const shown = parameterName.test(name) ? name : '?'
  return new ServiceError('validation', `unknown query parameter ${shown}; ${right}`, {
    errors: { [shown]: [`is not a parameter; ${right}`] },
  })
}

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()
const spellingOf = ({ name, kind, keySeparator }: QueryParameter) =>
  kind === 'map' ? `${name}${keySeparator}KEY` : name

/** Returns what to write in place of an unknown parameter. */
function rightSpelling(given: string, parameters: readonly QueryParameter[]): string {
  const names = parameters.map(spellingOf)
  if (names.length === 0) return 'this operation has no query parameters'
  // A URL that was joined with a second `?` has it in the first name.
  const [base = ''] = given.replace(/^\?+/, '').split(/[[.]/, 1)
  const at = parameters.findIndex(({ name }) => plain(name) === plain(base))
  if (at >= 0) {
    const repeats = parameters[at]?.kind === 'list' ? ', once for each value' : ''
    return `did you mean ${names[at]}${repeats}?`
  }
  const near = didYouMean(
    base,
    parameters.map(({ name }) => name),
  )
  return near.slice(2) || `the parameters are ${names.join(', ')}`
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
