import { ErrorList } from '../base/error-list.ts'
import type { JsonObject } from '../base/json/json.ts'
import { joinPaths, memberPath } from '../base/json/member-path.ts'
import type { ConfigurationDefinition, ReactorConfiguration } from '../contract/types.ts'
import { cast } from '../formulas/cast.ts'

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
