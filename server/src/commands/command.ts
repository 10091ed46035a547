import type { Flag, FlagValues } from '../config.ts'

/** What the program can do besides serving: one job on data that no server is using. */
export interface Command {
  /** As it is typed. */
  readonly name: string
  /** One line of `--help`. */
  readonly summary: string
  /** The flags it takes; each is also `SURROGATE_<NAME>`. */
  readonly flags: readonly Flag[]
  /** What stands behind the name without a flag, such as `FILE`; all of it is needed. */
  readonly operands: readonly string[]
  /** What its own `--help` says besides. */
  readonly details: readonly string[]
  /** Does the job and answers what to print. Refusals are thrown: one sentence each. */
  run(given: CommandInput): Promise<string | CommandResult>
}

/** For a job that can be done and still have failed. */
export interface CommandResult {
  readonly output: string
  readonly exitCode: number
}

export interface CommandInput {
  readonly values: FlagValues
  readonly operands: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Prints a line for whoever waits, beside what the command answers. */
  readonly tell: (line: string) => void
}
