import type { FieldErrors } from '../base/errors.ts'

/** What a value is cast to before the code sees it. */
export type ValueType = 'string' | 'boolean' | 'number'

/** A setting of a formula: its value is part of each reactor. */
export interface SettingDefinition {
  readonly name: string
  readonly description?: string | null
  readonly type: ValueType
}

/** An argument of a formula. `a.b` is the member `b` of the argument `a`. */
export interface ParameterDefinition extends SettingDefinition {
  readonly optional?: boolean | null
}

/** Names that are there twice, which a schema cannot say. */
export function repeatedNames(definitions: readonly SettingDefinition[], path: string): FieldErrors {
  const seen = new Set<string>()
  const errors: FieldErrors = {}
  for (const [index, { name }] of definitions.entries()) {
    if (seen.has(name)) errors[`${path}.${index}.name`] = ['must be unique in this list']
    seen.add(name)
  }
  return errors
}

/** The definition without members that say nothing. */
export function plainSetting({ name, description, type }: SettingDefinition): SettingDefinition {
  return { name, ...(typeof description === 'string' ? { description } : {}), type }
}

// Requirements: FOR-011
export function plainParameter(definition: ParameterDefinition): ParameterDefinition {
  return { ...plainSetting(definition), optional: definition.optional ?? false }
}
