import { silentLog } from '../base/log.ts'
import { headerPrefix as contractHeaderPrefix } from '../generated/facts.ts'
import { BackOff } from './admission/back-off.ts'
import { MemoryShare, Scheduler } from './admission/scheduler.ts'
import { type Monotonic, monotonic, TooLate, Wait } from './admission/wait.ts'
import { FormulaModuleRefused } from './modules/bundle.ts'
import { BundleCache } from './modules/bundle-cache.ts'
import { bundleModules, checkModules } from './modules/modules.ts'
import { type Programs, readPrograms } from './modules/programs.ts'
import { type findNode, NodeMissing } from './processes/find-node.ts'
import type { Isolation } from './processes/isolation.ts'
import { findLauncher, type LaunchOptions } from './processes/launch.ts'
import { Pool, type ProcessCounts } from './processes/pool.ts'
import { NotStarted } from './processes/runner.ts'
import type { TenantProcess } from './processes/tenant-process.ts'
import type { Invocation, Outcome, Sandbox, SandboxOptions } from './sandbox.ts'
import { defaultLimits, mostProcesses, type SandboxLimits } from './sandbox-limits.ts'

/** A sandbox and its state. */
export interface FormulaSandbox extends Sandbox {
  /**
   * Detects the isolation layers of this host, and bundles the modules.
   * @throws {FormulaModuleRefused}
   */
  start(): Promise<Isolation>
  /**
   * Loads each module and the adapter of the client once, in a process.
   * @throws {FormulaModuleRefused} with what the first one threw that cannot be loaded
   */
  checkModules(): Promise<void>
  /** Starts a process before the first formula of a tenant, or of any. Resolves when it is ready. */
  warm(tenant?: string): Promise<void>
  /** The isolation layers of the processes; `undefined` before `start`. */
  isolation(): Isolation | undefined
  /** Numbers of processes. */
  counts(): ProcessCounts
  /** Numbers of invocations that wait for a process, by lane. */
  waiting(): Readonly<Record<Invocation['lane'], number>>
  /** What is admitted, by kind. */
  admitted(): ReturnType<Scheduler['admitted']>
}

/** Parts that tests replace. */
export interface SandboxParts {
  /** Tools that this host pretends not to have. */
  readonly without?: NonNullable<LaunchOptions['without']>
  /** Replacements for the programs of the processes. */
  readonly programs?: Partial<Programs>
  /** The clock for waiting invocations. */
  readonly time?: Monotonic
  /** Finds the Node of the processes. */
  readonly findNode?: typeof findNode
}

/** Created at the first use. */
interface Started {
  readonly isolation: Isolation
  readonly pool: Pool
}

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
 * const sandbox = createSandbox({})
 * await sandbox.run({ code: 'module.exports = async req => ({ raw: req.args })', … })
 * // { kind: 'answered', raw: … }
 */
export function createSandbox(options: SandboxOptions, parts: SandboxParts = {}): FormulaSandbox {
  const limits: SandboxLimits = { ...defaultLimits(), ...options.limits }
  const time = parts.time ?? monotonic
  const backOff = new BackOff(limits.backOff, time)
  const mustWait = (tenant: string) => backOff.waitMs(tenant) > 0 && started?.pool.hasFree(tenant) !== true
  const scheduler = new Scheduler({
    limits,
    memory: new MemoryShare({ processes: mostProcesses(limits), depth: limits.depth }),
    mayHaveProcess: tenant => !mustWait(tenant),
  })
  backOff.onWaitEnd(() => scheduler.next())
  let starting: Promise<Started> | undefined
  let started: Started | undefined
  let closed = false

  const start = () => {
    starting ??= startSandbox(options, limits, backOff, parts).then(
      made => {
        started = made
        if (closed) void close(made)
        return made
      },
      error => {
        // The next formula tries again.
        starting = undefined
        throw error
      },
    )
    return starting
  }
  const close = async ({ pool }: Started) => {
    backOff.close()
    await pool.close()
  }

  /** Waits for the sandbox to start, a slot and a process, all within one time limit. */
  const obtain = async (invocation: Invocation): Promise<Obtained | Outcome> => {
    const wait = new Wait(time, limits.waitMs)
    try {
      const made = started ?? (await wait.for(start()))
      // Asynchronous work is put back into the store instead of waiting here.
      if (invocation.lane === 'async' && mustWait(invocation.tenant)) return { kind: 'busy' }
      return await wait.for(enter(scheduler, made.pool, invocation, wait))
    } catch (error) {
      return failureOf(error)
    } finally {
      wait.end()
    }
  }
  const failureOf = (error: unknown): Outcome => {
    if (error instanceof FormulaModuleRefused) throw error
    if (closed) return failed('crash', 'the sandbox is closed')
    if (error instanceof TooLate) return { kind: 'busy' }
    if (error instanceof NodeMissing) return failed('crash', error.message)
    ;(options.log ?? silentLog).error('the sandbox cannot start a process')
    if (error instanceof NotStarted && error.isLate) return { kind: 'busy' }
    return failed('crash', 'no process could be started')
  }

  const run: Sandbox['run'] = async invocation => {
    if (closed) return failed('crash', 'the sandbox is closed')
    if (invocation.depth > limits.depth) {
      return failed('threw', `formulas may call formulas ${limits.depth} levels deep`)
    }
    const { args, configuration } = invocation
    const input = Buffer.from(JSON.stringify({ args, configuration }), 'utf8')
    const leave = scheduler.wait(invocation, input.length)
    if (!leave) return { kind: 'busy' }
    const obtained = await obtain(invocation).finally(leave)
    if ('kind' in obtained) return obtained
    const { process, release } = obtained
    const ended = closed ? 'the sandbox is closed' : 'the process of the formula ended'
    const outcome = process.free ? process.run(invocation, input) : failed('crash', ended)
    started?.pool.afterRun(process, release)
    return outcome
  }

  return {
    run,
    checkModules: () => checkModules(run, options),
    close: async () => {
      closed = true
      const made = await starting?.catch(() => undefined)
      if (made) await close(made)
    },
    start: async () => (await start()).isolation,
    warm: async tenant => {
      const { pool } = await start()
      await pool.warm(tenant).catch(error => {
        if (!closed) throw error
      })
    },
    isolation: () => started?.isolation,
    counts: () => started?.pool.counts ?? { alive: 0, started: 0, ended: 0, ends: {} },
    waiting: () => scheduler.waiting(),
    admitted: () => scheduler.admitted(),
  }
}

async function startSandbox(
  options: SandboxOptions,
  limits: SandboxLimits,
  backOff: BackOff,
  { programs: replaced, ...parts }: SandboxParts,
): Promise<Started> {
  const {
    headerPrefix = contractHeaderPrefix,
    modules = [],
    moduleRoot = process.cwd(),
    moduleCache,
    client,
    jitless = true,
  } = options
  const programs = { ...(await readPrograms()), ...replaced }
  const cache = moduleCache === undefined ? undefined : new BundleCache(moduleCache, programs.rewrite)
  const [launcher, bundles] = await Promise.all([
    findLauncher({ limits, jitless, boot: programs.boot, ...parts }),
    bundleModules(modules, moduleRoot, client, cache, options.log),
  ])
  const { launch, isolation } = launcher
  const pool = new Pool({
    launch,
    limits,
    header: {
      svcNames: [...new Set(['svc', headerPrefix.toLowerCase()])],
      headerPrefix,
      moduleNames: [...bundles.keys()],
      limits,
    },
    program: programs.runner,
    parts: [
      programs.classes,
      programs.client,
      programs.rewrite,
      programs.node,
      ...[...bundles.values()].map(text => Buffer.from(text)),
    ],
    egress: options.egress,
    headerPrefix: headerPrefix.toLowerCase(),
    log: options.log ?? silentLog,
    backOff,
  })
  return { isolation, pool }
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
    wait.onTimeout(giveUp)
  })
}

function failed(reason: 'threw' | 'crash', detail: string): Outcome {
  return { kind: 'failed', reason, detail }
}
