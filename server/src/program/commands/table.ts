import { didYouMean } from '../../base/near-names.ts'
import { type Environment, readFlags } from '../../options/arguments.ts'
import { describeFlags } from '../../options/config.ts'
import { ConfigError } from '../../options/errors.ts'
import type { Flag } from '../../options/flag.ts'
import { helpFlag } from '../../options/program-table.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { checkProfileCommand } from './check-profile.ts'
import type { Command, CommandResult } from './command.ts'
import { copyCommand } from './copy.ts'
import { exportCommand, leaksCommand } from './dev-server.ts'
import { migrateCommand } from './migrate.ts'
import { reindexCommand } from './reindex.ts'
import { removeTenantCommand } from './remove-tenant.ts'
import { rotateMasterKeyCommand } from './rotate-master-key.ts'
import { runFormulaCommand } from './run-formula.ts'

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [
  migrateCommand,
  copyCommand,
  backupCommand,
  restoreCommand,
  rotateMasterKeyCommand,
  removeTenantCommand,
  reindexCommand,
  runFormulaCommand,
  checkProfileCommand,
  leaksCommand,
  exportCommand,
]

/** Runs a command. Resolves with the text to print. @throws {OperatorError} */
export async function runCommand(
  name: string,
  argv: readonly string[],
  environment: Environment,
  onProgress: (line: string) => void = () => {},
  ask: (question: string) => Promise<string> = async () => '',
): Promise<CommandResult> {
  const command = commands.find(one => one.name === name)
  if (!command) {
    const near =
      didYouMean(
        name,
        commands.map(one => one.name),
      ) || ';'
    throw new ConfigError(
      `there is no command of that name${near} surrogate-server --help lists the commands`,
    )
  }
  const flags = [...command.flags, helpFlag]
  const { values, operands } = readFlags(flags, argv, environment, command.operands, [name])
  if (values.help === true) return { output: usage(command, flags), exitCode: 0 }
  const result = await command.run({ values, operands, environment, onProgress, ask })
  return typeof result === 'string' ? { output: result, exitCode: 0 } : result
}

function usage({ name, summary, operands, details }: Command, flags: readonly Flag[]): string {
  const synopsis = ['surrogate-server', name, ...operands, '[flags]'].join(' ')
  return [`Usage: ${synopsis}`, '', summary, '', ...describeFlags(flags), '', ...details, ''].join('\n')
}
