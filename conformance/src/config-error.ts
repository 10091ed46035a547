/** An invalid command: printed as one sentence, with exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** @throws {ConfigError} if a file does not exist */
export function refuseMissing(path: string, error: unknown): void {
  if ((error as { code?: unknown } | undefined)?.code === 'ENOENT')
    throw new ConfigError(`${path}: there is no such file`)
}
