import { type FieldErrors, invalid, ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import type { RequestParameterDefinition } from '../contract/types.ts'
import { cast } from '../formulas/cast.ts'

/** The arguments that a formula gets. */
export type ReactArguments = JsonObject | JsonValue[]

/** The parameters that may be found under one key: the one with exactly that name, and those below it. */
interface Expected {
  exact?: RequestParameterDefinition
  readonly below: Rest[]
}

/** A parameter, and the rest of its name that is still to be found. */
interface Rest {
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

  // By the dotted path so far: however its dots were read, the same parameters may follow. There are at most as many
  // paths as names have parts, while there may be a million objects.
  const known = new Map<string, Map<string, Expected>>()
  const expectedAt = (path: string, rests: readonly Rest[]) => {
    const expected = known.get(path) ?? expectedUnder(rests)
    known.set(path, expected)
    return expected
  }
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
  if (Object.keys(errors).length > 0)
    throw new ServiceError('validation', 'the arguments do not fit the formula', { errors })
  return fitted
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
