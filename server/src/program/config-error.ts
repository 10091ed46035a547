import { OperatorError } from '../base/operator-error.ts'

/** Thrown for flags, variables and files of configuration that are not valid. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'
}
