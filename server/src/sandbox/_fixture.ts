import type { Monotonic } from './admission/wait.ts'
import { FormulaSandbox } from './formula-sandbox.ts'
import type { ConsoleLine, Invocation, Outcome, SandboxOptions } from './sandbox.ts'
import { defaultLimits, type SandboxLimits } from './sandbox-limits.ts'
import type { SandboxParts } from './start.ts'

type Teardown = { teardown(task: () => unknown): void }

/**
 * Limits with few processes, so that a test file does not start more than it needs. Tests that are about spares set their
 * number.
 */
const small: Partial<SandboxLimits> = {
  ...defaultLimits(1),
  // Machines that run tests may be slow, busy with work of a higher priority, and have little memory.
  startMs: 600_000,
  waitMs: 600_000,
  memoryMiB: 16_384,
  spares: 0,
  running: { total: 4, tenant: 2 },
  idle: 4,
}

export type TestSandbox = FormulaSandbox & {
  /** Runs the code, with defaults for the rest of the invocation. */
  formula(code: string, given?: Partial<Invocation>): Promise<Outcome>
  /** Runs the code and returns `raw`. Rejects if the outcome is not `answered`. */
  raw(code: string, given?: Partial<Invocation>): Promise<unknown>
  /** The lines that formulas have printed. */
  readonly lines: ConsoleLine[]
}

/** A sandbox that is closed when the test ends. */
export function openSandbox(
  t: Teardown,
  { limits, ...options }: SandboxOptions = {},
  parts?: SandboxParts,
): TestSandbox {
  const sandbox = new FormulaSandbox({ ...options, limits: { ...small, ...limits } }, parts)
  t.teardown(() => sandbox.close())
  const lines: ConsoleLine[] = []
  const formula = (code: string, given: Partial<Invocation> = {}) =>
    sandbox.run({
      tenant: 'tenant-a',
      code,
      args: {},
      configuration: {},
      svc: null,
      timeoutMs: 600_000,
      lane: 'sync',
      depth: 0,
      onConsole: line => lines.push(line),
      ...given,
    })
  const raw = async (code: string, given?: Partial<Invocation>) => {
    const outcome = await formula(code, given)
    if (outcome.kind !== 'answered') throw new Error(`no answer: ${JSON.stringify(outcome)}`)
    return outcome.raw
  }
  return Object.assign(sandbox, { formula, raw, lines })
}

/** A clock that only moves by `advance`. */
export function manualTime(): Monotonic & { advance(ms: number): void; readonly timers: number } {
  let nowMs = 0
  const timers = new Set<{ readonly dueMs: number; readonly task: () => void }>()
  return {
    nowMs: () => nowMs,
    after: (ms, task) => {
      const timer = { dueMs: nowMs + ms, task }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: ms => {
      nowMs += ms
      for (const timer of [...timers].sort((a, b) => a.dueMs - b.dueMs)) {
        if (timer.dueMs <= nowMs && timers.delete(timer)) timer.task()
      }
    },
    get timers() {
      return timers.size
    },
  }
}

/** Returns a formula with this body. */
export const body = (text: string) => `module.exports = async req => { ${text} }`
