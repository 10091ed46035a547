import { silentLog } from '../base/log.ts'
import { BackOff } from './admission/back-off.ts'
import { MemoryShare, Scheduler } from './admission/scheduler.ts'
import { type Monotonic, monotonic, TooLate, Wait } from './admission/wait.ts'
import { FormulaModuleRefused } from './modules/bundle.ts'
import { checkModules } from './modules/modules.ts'
import { NodeMissing } from './processes/find-node.ts'
import type { Isolation } from './processes/isolation.ts'
import type { Launcher } from './processes/launch.ts'
import type { Pool, ProcessCounts } from './processes/pool.ts'
import { NotStarted } from './processes/runner.ts'
import type { TenantProcess } from './processes/tenant-process.ts'
import type { Invocation, Outcome, Sandbox, SandboxOptions } from './sandbox.ts'
import { defaultLimits, mostProcesses, type SandboxLimits } from './sandbox-limits.ts'
import { launcherOf, type SandboxParts, startSandbox } from './start.ts'

/** All that an invocation needs to run. */
interface Obtained {
  readonly process: TenantProcess
  readonly release: () => void
}

/**
 * Runs formulas in separate processes. Nothing is started, read or loaded before the first formula or `warm()`.
 * Time limits are in real, monotonic time.
 *
 * @example
 * const sandbox = new FormulaSandbox({})
 * await sandbox.run({ code: 'module.exports = async req => ({ raw: req.args })', … })
 * // { kind: 'answered', raw: … }
 */
export class FormulaSandbox implements Sandbox {
  readonly #options: SandboxOptions
  readonly #parts: SandboxParts
  readonly #limits: SandboxLimits
  readonly #time: Monotonic
  readonly #backOff: BackOff
  readonly #scheduler: Scheduler
  #launcher: Promise<Launcher> | undefined
  #isolation: Isolation | undefined
  #starting: Promise<Pool> | undefined
  #pool: Pool | undefined
  #isClosed = false

  constructor(options: SandboxOptions, parts: SandboxParts = {}) {
    const limits = { ...defaultLimits(), ...options.limits }
    this.#options = options
    this.#parts = parts
    this.#limits = limits
    this.#time = parts.time ?? monotonic
    this.#backOff = new BackOff(limits.backOff, this.#time, () => this.#scheduler.next())
    this.#scheduler = new Scheduler({
      limits,
      memory: new MemoryShare({ processes: mostProcesses(limits), depth: limits.depth }),
      mayHaveProcess: tenant => !this.#mustWait(tenant),
    })
  }

  async run(invocation: Invocation): Promise<Outcome> {
    if (this.#isClosed) return failed('crash', 'the sandbox is closed')
    const { depth } = this.#limits
    if (invocation.depth > depth) return failed('threw', `formulas may call formulas ${depth} levels deep`)
    const { args, configuration } = invocation
    const input = Buffer.from(JSON.stringify({ args, configuration }), 'utf8')
    const leave = this.#scheduler.wait(invocation, input.length)
    if (!leave) return { kind: 'busy' }
    const obtained = await this.#obtain(invocation).finally(leave)
    if ('kind' in obtained) return obtained
    const { process, release } = obtained
    const ended = this.#isClosed ? 'the sandbox is closed' : 'the process of the formula ended'
    const outcome = process.free ? process.run(invocation, input) : failed('crash', ended)
    this.#pool?.afterRun(process, release)
    return outcome
  }

  /** Detects the isolation layers of this host. */
  async isolate(): Promise<Isolation> {
    return (await this.#launch()).isolation
  }

  /**
   * Detects the isolation layers of this host, and bundles the modules.
   * @throws {FormulaModuleRefused}
   */
  async start(): Promise<Isolation> {
    await this.#start()
    return this.isolate()
  }

  /**
   * Loads each module and the adapter of the client once, in a process.
   * @throws {FormulaModuleRefused} with what the first one threw that cannot be loaded
   */
  checkModules(): Promise<void> {
    return checkModules(invocation => this.run(invocation), this.#options)
  }

  /** Starts a process before the first formula of a tenant, or of any. Resolves when it is ready. */
  async warm(tenant?: string): Promise<void> {
    const pool = await this.#start()
    await pool.warm(tenant).catch(error => {
      if (!this.#isClosed) throw error
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const made = await this.#starting?.catch(() => undefined)
    if (made) await this.#end(made)
  }

  /** The isolation layers of the processes; `undefined` until they are known. */
  isolation(): Isolation | undefined {
    return this.#isolation
  }

  /** Numbers of processes. */
  counts(): ProcessCounts {
    return this.#pool?.counts ?? { alive: 0, started: 0, ended: 0, ends: {} }
  }

  /** Numbers of invocations that wait for a process, by lane. */
  waiting(): Readonly<Record<Invocation['lane'], number>> {
    return this.#scheduler.waiting()
  }

  /** What is admitted, by kind. */
  admitted(): ReturnType<Scheduler['admitted']> {
    return this.#scheduler.admitted()
  }

  #launch(): Promise<Launcher> {
    this.#launcher ??= launcherOf(this.#limits, this.#parts).then(
      launcher => {
        this.#isolation = launcher.isolation
        return launcher
      },
      error => {
        this.#launcher = undefined
        throw error
      },
    )
    return this.#launcher
  }

  #start(): Promise<Pool> {
    const { programs } = this.#parts
    this.#starting ??= startSandbox(
      this.#options,
      this.#limits,
      this.#backOff,
      this.#launch(),
      programs,
    ).then(
      made => {
        this.#pool = made
        if (this.#isClosed) void this.#end(made)
        return made
      },
      error => {
        // The next formula tries again.
        this.#starting = undefined
        throw error
      },
    )
    return this.#starting
  }

  async #end(pool: Pool): Promise<void> {
    this.#backOff.close()
    await pool.close()
  }

  #mustWait(tenant: string): boolean {
    return this.#backOff.waitMs(tenant) > 0 && this.#pool?.hasFree(tenant) !== true
  }

  /** Waits for the sandbox to start, a slot and a process, all within one time limit. */
  async #obtain(invocation: Invocation): Promise<Obtained | Outcome> {
    const wait = new Wait(this.#time, this.#limits.waitMs)
    try {
      const pool = this.#pool ?? (await wait.for(this.#start()))
      // Asynchronous work is put back into the store instead of waiting here.
      if (invocation.lane === 'async' && this.#mustWait(invocation.tenant)) return { kind: 'busy' }
      return await wait.for(enter(this.#scheduler, pool, invocation, wait))
    } catch (error) {
      return this.#failureOf(error)
    } finally {
      wait.end()
    }
  }

  #failureOf(error: unknown): Outcome {
    if (error instanceof FormulaModuleRefused) throw error
    if (this.#isClosed) return failed('crash', 'the sandbox is closed')
    if (error instanceof TooLate) return { kind: 'busy' }
    if (error instanceof NodeMissing) return failed('crash', error.message)
    ;(this.#options.log ?? silentLog).error('the sandbox cannot start a process')
    if (error instanceof NotStarted && error.isLate) return { kind: 'busy' }
    return failed('crash', 'no process could be started')
  }
}

/** Waits for a slot, then for a process. */
function enter(scheduler: Scheduler, pool: Pool, invocation: Invocation, wait: Wait): Promise<Obtained> {
  return new Promise((resolve, reject) => {
    const giveUp = scheduler.enter(invocation, release => {
      pool.take(invocation.tenant).then(
        process => {
          if (!wait.isOver) return resolve({ process, release })
          pool.putBack(process)
          release()
        },
        error => {
          release()
          reject(error)
        },
      )
    })
    wait.onTimeout = giveUp
  })
}

function failed(reason: 'threw' | 'crash', detail: string): Outcome {
  return { kind: 'failed', reason, detail }
}
