import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

/** The command line of a test run. */
export interface TestOptions {
  /** Files and folders that choose tests; none chooses all. */
  readonly paths: readonly string[]
  /** Only tests of what was changed since the base branch. */
  readonly changed: boolean
  /** With `changed`: also tests that reach the change only through a whole server. */
  readonly servers: boolean
  /** The branch or commit that `changed` compares with. */
  readonly base: string | undefined
  /** Runs also the tests that only CI runs. Those that a path chooses are run in any case. */
  readonly ci: boolean
  /** Runs the linters and the type check, too. */
  readonly withChecks: boolean
  /** Prints where the time went. */
  readonly timing: boolean
  readonly reporter: 'short' | 'tap'
  /** Processes that run at the same time. Two more than processors, as some tests wait for real time. */
  readonly jobs: number
  readonly silenceMs: number
  /** Stops at the first failure. */
  readonly bail: boolean
  /** Settings that tap, and some tests, read in each process. */
  readonly env: NodeJS.ProcessEnv
}

/** Reads the command line. @throws {TypeError} on an unknown flag */
export function readTestOptions(words: readonly string[], env: NodeJS.ProcessEnv): TestOptions {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      changed: { type: 'boolean', default: false },
      servers: { type: 'boolean', default: false },
      base: { type: 'string' },
      ci: { type: 'boolean', default: false },
      'with-checks': { type: 'boolean', default: false },
      timing: { type: 'boolean', default: false },
      reporter: { type: 'string', default: env.TAP_REPORTER ?? 'short' },
      jobs: { type: 'string', default: String(availableParallelism() + 2) },
      timeout: { type: 'string', default: '1800' },
      bail: { type: 'boolean', default: false },
      only: { type: 'boolean', default: false },
      grep: { type: 'string' },
    },
  })
  return {
    paths: positionals,
    changed: values.changed || values.base !== undefined,
    base: values.base,
    servers: values.servers,
    ci: values.ci,
    withChecks: values['with-checks'],
    timing: values.timing,
    reporter: values.reporter === 'tap' ? 'tap' : 'short',
    jobs: positive('jobs', values.jobs),
    silenceMs: positive('timeout', values.timeout) * 1000,
    bail: values.bail,
    env: {
      // Only the runner limits time: how long tests take depends on what else the machine does.
      TAP_TIMEOUT: '0',
      ...(values.ci ? { SURROGATE_TEST_CI: '1' } : {}),
      ...(values.bail ? { TAP_BAIL: '1' } : {}),
      ...(values.only ? { TAP_ONLY: '1' } : {}),
      ...(values.grep === undefined ? {} : { TAP_GREP: values.grep }),
    },
  }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new TypeError(`--${name} is not a positive integer`)
  return number
}
