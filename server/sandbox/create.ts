import { silentLog } from '../base/log.ts'
import { FairQueue } from './fair-queue.ts'
import type { Isolation } from './isolation.ts'
import { findLauncher, type LaunchOptions } from './launch.ts'
import { defaultLimits, type SandboxLimits } from './limits.ts'
import { bundleModules, FormulaModuleRefused } from './modules.ts'
import type { SandboxOptions } from './options.ts'
import { Pool } from './pool.ts'
import { Preparer } from './preparer.ts'
import { type Programs, readPrograms } from './programs.ts'
import type { Invocation, Outcome, Sandbox } from './sandbox.ts'

/** A sandbox, and what is known of it. */
export interface FormulaSandbox extends Sandbox {
  /**
   * Finds out what this host can do, and bundles the modules. Resolves with what will hold the processes.
   * @throws {FormulaModuleRefused}
   */
  start(): Promise<Isolation>
  /** Starts processes ahead of the first formula. Resolves when one is ready. */
  warm(): Promise<void>
  /** What holds the processes, once they have been started. */
  isolation(): Isolation | undefined
  /** How many processes there are, and have been. */
  counts(): { readonly alive: number; readonly started: number; readonly ended: number }
}

/** What a test replaces. */
export interface SandboxParts {
  /** Tools this host is to be taken to lack. */
  readonly without?: NonNullable<LaunchOptions['without']>
  /** Other programs for the processes than ours. */
  readonly programs?: Partial<Programs>
}

/** What is made at the first use. */
interface Started {
  readonly isolation: Isolation
  readonly pool: Pool
  readonly preparer: Preparer
}

/**
 * Runs formulas in processes of their own. Nothing is started, read or loaded before the first formula or
 * `warm()`. Limits are real, monotonic time.
 *
 * @example
 * const sandbox = createSandbox({})
 * await sandbox.run({ code: 'module.exports = async req => ({ raw: req.args })', … })
 * // { kind: 'answered', raw: … }
 */
export function createSandbox(options: SandboxOptions, parts: SandboxParts = {}): FormulaSandbox {
  const limits: SandboxLimits = { ...defaultLimits(), ...options.limits }
  const queues = new Map<string, FairQueue>()
  let starting: Promise<Started> | undefined
  let started: Started | undefined
  let closed = false

  const start = () => {
    starting ??= startSandbox(options, limits, parts).then(
      made => {
        started = made
        if (closed) void close(made)
        return made
      },
      error => {
        // The next formula may find the host in better health.
        starting = undefined
        throw error
      },
    )
    return starting
  }
  const close = async ({ pool, preparer }: Started) => {
    await Promise.all([preparer.close(), pool.close()])
  }
  /** Invocations wait for those of their own lane and depth only: never for one that waits for them. */
  const queueFor = ({ lane, depth }: Invocation) => {
    const key = `${lane} ${depth}`
    const queue = queues.get(key) ?? new FairQueue(limits)
    queues.set(key, queue)
    return queue
  }

  return {
    run: async invocation => {
      const deadlineMs = performance.now() + invocation.timeoutMs
      if (closed) return failed('crash', 'the sandbox is closed')
      if (invocation.depth > limits.depth) {
        return failed('threw', `formulas may call formulas ${limits.depth} levels deep`)
      }
      try {
        // For most there is nothing to wait for.
        const made = started ?? (await within(start(), deadlineMs))
        const preparing = made.preparer.prepare(invocation.code)
        const prepared = preparing instanceof Promise ? await within(preparing, deadlineMs) : preparing
        if (!prepared.ok) return { kind: 'unusable', detail: prepared.detail }
        return await enter(queueFor(invocation), made.pool, invocation, prepared.text, deadlineMs)
      } catch (error) {
        if (error instanceof TooLate) return failed('time', 'no process was free in time')
        if (error instanceof FormulaModuleRefused) throw error
        if (closed) return failed('crash', 'the sandbox is closed')
        ;(options.log ?? silentLog).error('the sandbox cannot start a process')
        return failed('crash', 'no process could be started')
      }
    },
    close: async () => {
      closed = true
      const made = await starting?.catch(() => undefined)
      if (made) await close(made)
    },
    start: async () => (await start()).isolation,
    warm: async () => {
      const { pool } = await start()
      await pool.warm().catch(error => {
        if (!closed) throw error
      })
    },
    isolation: () => started?.isolation,
    counts: () => started?.pool.counts ?? { alive: 0, started: 0, ended: 0 },
  }
}

async function startSandbox(
  options: SandboxOptions,
  limits: SandboxLimits,
  { programs: replaced, ...parts }: SandboxParts,
): Promise<Started> {
  const { headerPrefix = 'SVC', modules = [], moduleRoot = process.cwd(), jitless = true } = options
  const programs = { ...(await readPrograms()), ...replaced }
  const [launcher, bundles] = await Promise.all([
    findLauncher({ limits, jitless, boot: programs.boot, ...parts }),
    bundleModules(modules, moduleRoot),
  ])
  const { launch, isolation } = launcher
  const preparer = new Preparer({ launch, limits, program: programs.prepare })
  const moduleTexts: Uint8Array[] = []
  for (const [name, text] of bundles) {
    const prepared = await preparer.prepare(text)
    if (!prepared.ok) {
      await preparer.close()
      throw new FormulaModuleRefused(`the module ${name} cannot be given to formulas: ${prepared.detail}`)
    }
    moduleTexts.push(Buffer.from(prepared.text, 'utf8'))
  }
  const pool = new Pool({
    launch,
    limits,
    header: {
      svcNames: [...new Set(['svc', headerPrefix.toLowerCase()])],
      headerPrefix,
      moduleNames: [...bundles.keys()],
      limits: {
        outputBytes: limits.outputBytes,
        callBodyBytes: limits.calls.bodyBytes,
        consoleLines: limits.console.lines,
        consoleLineLength: limits.console.lineLength,
        consoleBytes: limits.console.bytes,
        timers: limits.timers,
      },
    },
    program: programs.runner,
    parts: [programs.classes, programs.client, ...moduleTexts],
    egress: options.egress,
    headerPrefix: headerPrefix.toLowerCase(),
    log: options.log ?? silentLog,
  })
  return { isolation, pool, preparer }
}

/** Waits for a slot, then for a process, then for the answer; the deadline counts all three. */
function enter(
  queue: FairQueue,
  pool: Pool,
  invocation: Invocation,
  code: string,
  deadlineMs: number,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      giveUp?.()
      reject(new TooLate())
    }, deadlineMs - performance.now())
    const giveUp = queue.enter(invocation.tenant, release => {
      pool.take(invocation.tenant).then(
        process => {
          clearTimeout(late)
          if (isLate) process.kill('closed')
          else resolve(process.run(invocation, code, deadlineMs))
          pool.afterRun(process, release)
        },
        error => {
          clearTimeout(late)
          release()
          reject(error)
        },
      )
    })
    if (!giveUp) {
      clearTimeout(late)
      resolve({ kind: 'busy' })
    }
  })
}

class TooLate extends Error {}

async function within<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), deadlineMs - performance.now())
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function failed(reason: 'threw' | 'time' | 'crash', detail: string): Outcome {
  return { kind: 'failed', reason, detail }
}
