import { ConfigError, describeFlags, type Flag, readFlags } from '../config.ts'
import type { Command, CommandResult } from './command.ts'
import { copyCommand } from './copy.ts'
import { migrateCommand } from './migrate.ts'
import { reindexCommand } from './reindex.ts'
import { rotateMasterKeyCommand } from './rotate-master-key.ts'
import { runFormulaCommand } from './run-formula.ts'

/** Every command there is, in the order in which `--help` lists them. */
export const commands: readonly Command[] = [
  migrateCommand,
  copyCommand,
  rotateMasterKeyCommand,
  reindexCommand,
  runFormulaCommand,
]

const help: Flag = { name: 'help', type: 'boolean', help: 'print this and leave' }

/** Runs a command and answers what to print. @throws {ConfigError} and what the command refuses with */
export async function runCommand(
  name: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  tell: (line: string) => void = () => {},
): Promise<CommandResult> {
  const command = commands.find(one => one.name === name)
  if (!command) {
    throw new ConfigError(`there is no command of that name; surrogate-server --help lists them`)
  }
  const flags = [...command.flags, help]
  const { values, operands } = readFlags(flags, argv, environment, command.operands)
  if (values.help === true) return { output: usage(command, flags), exitCode: 0 }
  const result = await command.run({ values, operands, environment, tell })
  return typeof result === 'string' ? { output: result, exitCode: 0 } : result
}

function usage({ name, summary, operands, details }: Command, flags: readonly Flag[]): string {
  const synopsis = ['surrogate-server', name, ...operands, '[flags]'].join(' ')
  return [`Usage: ${synopsis}`, '', summary, '', ...describeFlags(flags), '', ...details, ''].join('\n')
}
