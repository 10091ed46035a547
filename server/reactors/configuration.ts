import { type FieldErrors, ServiceError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { joinPaths, memberPath } from '../base/member-path.ts'
import { cast } from '../formulas/cast.ts'
import type { SettingDefinition } from '../formulas/definitions.ts'

/** Values of settings by name, each of its declared type. */
export type Configuration = Readonly<Record<string, string | number | boolean>>

/** More errors than anyone reads are not collected. */
const mostErrors = 100

/**
 * The configuration with each value cast to its declared type. Every setting has to be there, and no other.
 * @throws {ServiceError} validation
 */
// Requirements: REA-004
export function castConfiguration(
  definitions: readonly SettingDefinition[],
  given: JsonObject,
  detail = 'the configuration does not fit the formula',
): Configuration {
  const errors: FieldErrors = {}
  const values: [string, string | number | boolean][] = []
  for (const { name, type } of definitions) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null) {
      errors[`configuration.${name}`] = ['is missing: every setting of the formula has to be there']
      continue
    }
    const outcome = cast(value, type)
    if ('problem' in outcome) errors[`configuration.${name}`] = [outcome.problem]
    else values.push([name, outcome.value])
  }
  const declared = new Set(definitions.map(({ name }) => name))
  for (const name of Object.keys(given)) {
    if (declared.has(name) || Object.keys(errors).length >= mostErrors) continue
    errors[joinPaths('configuration', memberPath([name]))] = ['is no setting of the formula']
  }
  if (Object.keys(errors).length > 0) throw new ServiceError('validation', detail, { errors })
  return Object.fromEntries(values)
}
