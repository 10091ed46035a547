import type { FieldErrors } from '../base/errors.ts'
import type { ConfigurationDefinition, RequestParameterDefinition } from '../contract/types.ts'

/** Returns the errors of repeated names, which a schema cannot find. */
export function repeatedNames(definitions: readonly ConfigurationDefinition[], path: string): FieldErrors {
  const seen = new Set<string>()
  const errors: FieldErrors = {}
  for (const [index, { name }] of definitions.entries()) {
    if (seen.has(name)) errors[`${path}.${index}.name`] = ['must be unique in this list']
    seen.add(name)
  }
  return errors
}

/** Returns a definition without null and unknown members. */
export function plainSetting({ name, description, type }: ConfigurationDefinition): ConfigurationDefinition {
  return { name, ...(typeof description === 'string' ? { description } : {}), type }
}

// Requirements: FOR-011
export function plainParameter(definition: RequestParameterDefinition): RequestParameterDefinition {
  return { ...plainSetting(definition), optional: definition.optional ?? false }
}
