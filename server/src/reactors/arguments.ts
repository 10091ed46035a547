import { ErrorList, type FieldErrors, invalid, refuseIfAny } from '../base/errors.ts'
import { isJsonObject, JsonError, type JsonObject, type JsonValue, parseJson } from '../base/json/json.ts'
import { joinPaths, memberPath } from '../base/json/member-path.ts'
import type {
  ConfigurationDefinition,
  ReactorConfiguration,
  RequestParameterDefinition,
  ValueType,
} from '../contract/types.ts'

/** The arguments that a formula gets. */
export type ReactArguments = JsonObject | JsonValue[]

/** The parameters that may be found under one key: the one with exactly that name, and those below it. */
interface Expected {
  exact?: RequestParameterDefinition
  readonly below: Rest[]
}

/** A parameter, and the rest of its name that is still to be found. */
export interface Rest {
  readonly parameter: RequestParameterDefinition
  readonly name: string
}

/**
 * Casts and prunes the arguments, after references have been replaced. A parameter `a.b` is the member `b` of the object
 * `a`, or a key spelled `a.b`; it is cast where it is. Undeclared members are removed at every depth, unless the formula
 * declares no parameters.
 *
 * @throws {ServiceError} validation, naming every parameter that is missing or cannot be cast
 */
// Requirements: INV-010, INV-011, INV-012, INV-016, INV-017, INV-025, INV-026
export function fitArguments(
  parameters: readonly RequestParameterDefinition[],
  args: JsonValue,
): ReactArguments {
  if (parameters.length === 0 && Array.isArray(args)) return args
  if (!isJsonObject(args)) {
    const list = parameters.length === 0 ? ', a list' : ''
    throw invalid('args', `must be an object${list}, or one expression that gives one`)
  }
  if (parameters.length === 0) return args
  const errors: FieldErrors = {}
  const present = new Set<string>()

  const expectedAt = expectations()
  const fit = (object: JsonObject, rests: readonly Rest[], path: string): JsonObject => {
    const expected = expectedAt(path, rests)
    const kept: [string, JsonValue][] = []
    for (const key of Object.keys(object)) {
      const { exact, below = [] } = expected.get(key) ?? {}
      if (!exact && below.length === 0) continue
      const value = object[key] ?? null
      if (exact) {
        // Null counts as missing.
        if (value === null) continue
        present.add(exact.name)
        const outcome = cast(value, exact.type)
        if ('problem' in outcome) errors[`args.${exact.name}`] = [outcome.problem]
        else kept.push([key, outcome.value])
      } else if (below.length > 0 && isJsonObject(value)) {
        kept.push([key, fit(value, below, `${path}${key}.`)])
      }
    }
    return Object.fromEntries(kept)
  }
  const fitted = fit(
    args,
    parameters.map(parameter => ({ parameter, name: parameter.name })),
    '',
  )
  for (const { name, optional } of parameters) {
    if (!optional && !present.has(name)) errors[`args.${name}`] = ['is missing']
  }
  refuseIfAny(errors, 'the arguments do not fit the formula')
  return fitted
}

/**
 * Returns a function that groups the parameters below a dotted path. However the dots of the path were read, the same
 * parameters may follow, so that each path is grouped once: there are at most as many as names have parts, while there may
 * be a million objects.
 */
export function expectations(): (path: string, rests: readonly Rest[]) => Map<string, Expected> {
  const known = new Map<string, Map<string, Expected>>()
  return (path, rests) => {
    const expected = known.get(path) ?? expectedUnder(rests)
    known.set(path, expected)
    return expected
  }
}

/** Groups parameters by the keys they may be found under: `a.b.c` under `a`, `a.b` and `a.b.c`. */
function expectedUnder(rests: readonly Rest[]): Map<string, Expected> {
  const expected = new Map<string, Expected>()
  const under = (key: string): Expected => {
    const known = expected.get(key)
    if (known) return known
    const made: Expected = { below: [] }
    expected.set(key, made)
    return made
  }
  for (const { parameter, name } of rests) {
    under(name).exact = parameter
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      under(name.slice(0, dot)).below.push({ parameter, name: name.slice(dot + 1) })
    }
  }
  return expected
}

/** A value of the declared type, or a message that says what it must be and does not repeat it. */
type Cast = { readonly value: string | number | boolean } | { readonly problem: string }

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * Casts a value to a declared type: a text that is a JSON number to a number; the texts `true` and `false`, in any case, to a
 * boolean; numbers and booleans to a text, in JSON. Null is not a value: callers treat it as missing.
 */
// Requirements: INV-013, INV-014, REA-005, REA-501, INV-543
function cast(value: JsonValue, type: ValueType): Cast {
  if (typeof value === type) return { value: value as string | number | boolean }
  switch (type) {
    case 'number':
      return typeof value === 'string' ? toNumber(value) : { problem: notNumber }
    case 'boolean':
      return typeof value === 'string' ? toBoolean(value) : { problem: notBoolean }
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean'
        ? { value: JSON.stringify(value) }
        : { problem: 'must be a text, or a number or boolean that can become one' }
  }
}

const notNumber = 'must be a number, or a text that is one in JSON'
const notBoolean = 'must be a boolean, or the text true or false'

function toNumber(text: string): Cast {
  if (!jsonNumber.test(text)) return { problem: notNumber }
  try {
    return { value: parseJson(text) as number }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { problem: 'must be a number that can be stored exactly' }
  }
}

function toBoolean(text: string): Cast {
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? { value: lower === 'true' } : { problem: notBoolean }
}

/**
 * Casts each value of a configuration to its declared type. Every setting of the formula is required, and no other allowed.
 * @throws {ServiceError} validation
 */
// Requirements: REA-004
export function castConfiguration(
  definitions: readonly ConfigurationDefinition[],
  given: JsonObject,
  detail = 'the configuration does not fit the formula',
): ReactorConfiguration {
  const errors = new ErrorList()
  const values: [string, string | number | boolean][] = []
  for (const { name, type } of definitions) {
    const path = `configuration.${name}`
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null) {
      errors.add(path, 'is missing: every setting of the formula is required')
      continue
    }
    const outcome = cast(value, type)
    if ('problem' in outcome) errors.add(path, outcome.problem)
    else values.push([name, outcome.value])
  }
  const declared = new Set(definitions.map(({ name }) => name))
  for (const name of Object.keys(given)) {
    if (errors.isFull) break
    if (!declared.has(name))
      errors.add(joinPaths('configuration', memberPath([name])), 'is not a setting of the formula')
  }
  errors.refuseIfAny(detail)
  return Object.fromEntries(values)
}
