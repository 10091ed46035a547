import { readDevelopmentMasterKey } from '../../crypto/development-key.ts'
import type { Environment, FlagValues } from '../../options/arguments.ts'
import { ConfigError } from '../../options/errors.ts'
import type { Flag } from '../../options/flag.ts'
import { keyVariable, readMasterKey } from '../../options/master-key-variables.ts'

/** A subcommand of the program: one job, most of them on data that no server is using. */
export interface Command {
  readonly name: string
  /** One line of `--help`. */
  readonly summary: string
  /** The flags it takes; each is also `SURROGATE_<NAME>`. */
  readonly flags: readonly Flag[]
  /** Arguments that are not flags, such as `FILE`; all are required. A last one such as `PATH…` may be several. */
  readonly operands: readonly string[]
  /** Further lines of its own `--help`. */
  readonly details: readonly string[]
  /** Does the job. Resolves with the text to print. @throws {OperatorError} */
  run(given: CommandInput): Promise<string | CommandResult>
}

/** The result of a job whose exit code is not always 0. */
export interface CommandResult {
  readonly output: string
  readonly exitCode: number
}

interface CommandInput {
  readonly values: FlagValues
  readonly operands: readonly string[]
  readonly environment: Environment
  /** Prints a line of progress. */
  readonly onProgress: (line: string) => void
  /** Asks the operator. Resolves with the line that was typed. */
  readonly ask: (question: string) => Promise<string>
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

export interface FoundMasterKey {
  readonly key: Uint8Array
  /** True if it comes from `master.key` in the data folder. */
  readonly fromFile: boolean
}

/** Finds the master key of an existing store: in the environment, or else in its data folder. @throws {ConfigError} */
export async function findMasterKey(
  environment: Environment,
  folder: string | undefined,
): Promise<FoundMasterKey> {
  const given = readMasterKey(environment, keyVariable)
  if (given) return { key: given, fromFile: false }
  const key = folder === undefined ? undefined : await readDevelopmentMasterKey(folder)
  if (key) return { key, fromFile: true }
  throw new ConfigError(`there is no master key: set ${keyVariable} to the key of the store`)
}
