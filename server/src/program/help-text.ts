import type { Flag } from '../option-flags.ts'
import { flags } from './config.ts'

/** Returns one line per flag, for a help text. */
export function describeFlags(table: readonly Flag[]): string[] {
  return table.map(flag => {
    const left = `  --${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}${flag.multiple ? ' …' : ''}`
    return `${left.padEnd(34)}${flag.help}${flag.default === undefined ? '' : ` (${flag.default})`}`
  })
}

export function helpText(
  commands: readonly { readonly name: string; readonly summary: string }[] = [],
): string {
  return [
    'Usage: surrogate-server [flags]',
    '       surrogate-server <command> [flags]',
    '',
    ...describeFlags(flags),
    '',
    'Commands (surrogate-server <command> --help shows details, and whether servers have to be stopped):',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(32)}${summary}`),
    '',
    'Each flag can be set by an environment variable, such as SURROGATE_PORT; lists are comma-separated.',
    'SURROGATE_MASTER_KEY is the master key: 32 bytes in base64 (openssl rand -base64 32).',
    'Or name what has it: SURROGATE_MASTER_KEY_FILE, a file; SURROGATE_MASTER_KEY_COMMAND, a command that prints it.',
    '',
  ].join('\n')
}
