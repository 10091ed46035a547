/** An invalid command: printed as one sentence, with exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
