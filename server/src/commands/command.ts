import type { Environment, Flag, FlagValues } from '../config.ts'

/** A subcommand of the program: one job on data that no server is using. */
export interface Command {
  readonly name: string
  /** One line of `--help`. */
  readonly summary: string
  /** The flags it takes; each is also `SURROGATE_<NAME>`. */
  readonly flags: readonly Flag[]
  /** Arguments that are not flags, such as `FILE`; all are required. */
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

export interface CommandInput {
  readonly values: FlagValues
  readonly operands: readonly string[]
  readonly environment: Environment
  /** Prints a line of progress. */
  readonly onProgress: (line: string) => void
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
