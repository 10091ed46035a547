import { OperatorError } from '../../base/operator-error.ts'
import { Dev } from '../../generated/dev-client/index.ts'
import { type Flag, secretFlag, textFlag } from '../../option-flags.ts'
import { type FlagValues, flags } from '../config.ts'
import { ConfigError } from '../config-error.ts'

/** A development server could not be asked. The message is for the operator. */
export class DevCommandError extends OperatorError {
  override readonly name = 'DevCommandError'
}

/** The flags of commands that ask a running development server. */
export const devFlags: readonly Flag[] = [
  textFlag('url', 'URL', 'address of a server that was started with --dev', 'http://127.0.0.1:4000'),
  secretFlag('management-key', 'KEY', 'management key of the tenant'),
  ...flags.filter(({ name }) => name === 'dev-token' || name === 'header-prefix'),
]

/** @throws {ConfigError} */
export function devOf(values: FlagValues): Dev {
  const managementKey = values['management-key'] as string | undefined
  if (managementKey === undefined) {
    throw new ConfigError('which tenant? Set --management-key, or SURROGATE_MANAGEMENT_KEY')
  }
  return new Dev({
    baseUrl: values.url as string,
    managementKey,
    token: values['dev-token'] as string | undefined,
    headerPrefix: values['header-prefix'] as string,
  })
}

export function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as {
    name?: unknown
    message: string
    code?: unknown
    cause?: { code?: unknown }
  }
  if (name === 'DevError') return message
  const known = code ?? cause?.code
  return known === undefined ? 'the server did not respond' : String(known)
}
