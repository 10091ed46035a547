import { OperatorError } from '../base/operator-error.ts'

/** Thrown for flags, variables and files of configuration that are not valid. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'
}

/** Thrown for options that are unknown, ill-typed, or not enough to start with. */
export class VaultOptionsError extends OperatorError {
  override readonly name = 'VaultOptionsError'
}

/** A profile that cannot be used: one sentence that says why. */
export class ProfileError extends OperatorError {
  override readonly name = 'ProfileError'
}
