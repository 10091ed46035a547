import { type FieldErrors, refuseIfAny } from '../base/errors.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type {
  ConfigurationDefinition,
  ReactorFormula,
  ReactorFormulaRequest,
  ReactorFormulaType,
  RequestParameterDefinition,
} from '../contract/types.ts'
import { limits } from '../generated/facts.ts'
import type { Dated, RecordValue } from '../storage/records/records.ts'

/** A stored formula. */
export interface FormulaRecord extends RecordValue {
  readonly name: string
  readonly description?: string
  readonly type: ReactorFormulaType
  readonly icon?: string
  readonly code: string
  readonly configuration: readonly ConfigurationDefinition[]
  readonly request_parameters: readonly RequestParameterDefinition[]
  readonly created_by?: string
  readonly modified_by?: string
}

/** Checks a formula in a request, and removes null and unknown members. @throws {ServiceError} validation */
// Requirements: FOR-501
export function readFormula(input: ReactorFormulaRequest) {
  const { name, description, type, icon, code } = input
  const configuration = input.configuration ?? []
  const parameters = input.request_parameters ?? []
  const errors: FieldErrors = {
    ...repeatedNames(configuration, 'configuration'),
    ...repeatedNames(parameters, 'request_parameters'),
  }
  // The contract limits characters, not bytes.
  if (Buffer.byteLength(code) > limits.formulaCodeBytes)
    errors.code = [`must not be longer than ${limits.formulaCodeBytes} bytes in UTF-8`]
  refuseIfAny(errors, 'the formula is not valid')
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    type,
    ...(typeof icon === 'string' ? { icon } : {}),
    code,
    configuration: configuration.map(plainSetting),
    request_parameters: parameters.map(plainParameter),
  }
}

// Requirements: FOR-001
export function showFormula(record: Dated<FormulaRecord>): ReactorFormula {
  return {
    ...record.value,
    // Requirements: FOR-018
    status: isRunnable(record.value) ? 'verified' : 'coming_soon',
    created_at: formatMicros(record.createdUs),
    ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
  }
}

/** True if the formula has code. Without, it is only announced. */
// Requirements: FOR-502
export function isRunnable({ code }: Pick<FormulaRecord, 'code'>): boolean {
  return code !== ''
}

/** Returns the errors of repeated names, which a schema cannot find. */
function repeatedNames(definitions: readonly ConfigurationDefinition[], path: string): FieldErrors {
  const seen = new Set<string>()
  const errors: FieldErrors = {}
  for (const [index, { name }] of definitions.entries()) {
    if (seen.has(name)) errors[`${path}.${index}.name`] = ['must be unique in this list']
    seen.add(name)
  }
  return errors
}

/** Returns a definition without null and unknown members. */
function plainSetting({ name, description, type }: ConfigurationDefinition): ConfigurationDefinition {
  return { name, ...(typeof description === 'string' ? { description } : {}), type }
}

// Requirements: FOR-011
function plainParameter(definition: RequestParameterDefinition): RequestParameterDefinition {
  return { ...plainSetting(definition), optional: definition.optional ?? false }
}
