import type { Log } from '../../base/log.ts'
import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'
import type { BackOff } from '../admission/back-off.ts'
import type { BootHeader } from '../protocol/messages.ts'
import type { Egress } from '../sandbox.ts'
import { mostProcesses, type SandboxLimits } from '../sandbox-limits.ts'
import type { End, Launched } from './runner.ts'
import { TenantProcess } from './tenant-process.ts'

interface PoolOptions {
  readonly launch: () => Launched
  readonly limits: SandboxLimits
  readonly header: Omit<BootHeader, 'parts' | 'wantsCache'>
  readonly program: Uint8Array
  readonly parts: readonly Uint8Array[]
  readonly egress: Egress | undefined
  /** In lower case. */
  readonly headerPrefix: string
  readonly log: Log
  readonly backOff: BackOff
}

export interface ProcessCounts {
  readonly alive: number
  readonly started: number
  readonly ended: number
  /** By the reason of the end. */
  readonly ends: Readonly<Partial<Record<End, number>>>
}

/** A process that has no tenant yet. */
interface Spare {
  readonly process: TenantProcess
  readonly ready: Promise<void>
}

/**
 * All processes that run formulas: spares without a tenant, and those of tenants, never more than the memory
 * allows. `Admission` decides how many invocations may run; the pool only hands out processes.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #all = new Set<TenantProcess>()
  readonly #spares: Spare[] = []
  /** Free processes of tenants with their idle timers, the most recently used last. */
  readonly #free = new Map<TenantProcess, NodeJS.Timeout>()
  readonly #onFree = new Map<TenantProcess, () => void>()
  /** Waiting for a process that has answered and is not free yet. */
  readonly #claims = new Map<TenantProcess, () => void>()
  readonly #most: number
  #cache: Uint8Array = new Uint8Array(0)
  #closed = false
  #started = 0
  readonly #ends: Partial<Record<End, number>> = {}

  constructor(options: PoolOptions) {
    this.#options = options
    this.#most = mostProcesses(options.limits)
  }

  get counts(): ProcessCounts {
    const ended = this.#started - this.#all.size
    return { alive: this.#all.size, started: this.#started, ended, ends: { ...this.#ends } }
  }

  /**
   * Starts one spare if there is none, and resolves when it is ready. Two at once would both be late; the first formula
   * starts the others.
   *
   * @param tenant does nothing if this tenant has a process
   * @throws if no process can be started
   */
  async warm(tenant?: string): Promise<void> {
    if (tenant !== undefined && includesTenant(this.#all, tenant)) return
    if (this.#spares.length === 0 && this.#all.size < this.#most && !this.#closed) {
      this.#spares.push(this.#start())
    }
    await this.#spares[0]?.ready
  }

  /** True if the tenant has a process that is free. */
  hasFree(tenant: string): boolean {
    return includesTenant(this.#free.keys(), tenant)
  }

  /** Returns a free process of this tenant, or a spare. @throws {NotStarted} */
  async take(tenant: string): Promise<TenantProcess> {
    const free = this.#takeFree(tenant)
    if (free) return free
    this.#options.backOff.recordStart(tenant)
    const own = await this.#waitForDraining(tenant)
    if (own) return own
    for (let attempt = 0; ; attempt++) {
      if (this.#closed) throw new Error('the pool is closed')
      const spare = this.#takeSpare()
      // The next spare is started only afterwards: starting two at once would delay both.
      try {
        await spare.ready
        this.#refill()
        if (spare.process.alive) return spare.process
      } catch (error) {
        if (attempt === 2) throw error
      }
    }
  }

  /** Returns a process that was taken and not used. */
  putBack(process: TenantProcess): void {
    if (!process.alive) return
    if (process.tenant === undefined) this.#spares.unshift({ process, ready: Promise.resolve() })
    else this.#becameFree(process)
  }

  /** Returns a process that was used: `then` is called when it is free again, or gone. */
  afterRun(process: TenantProcess, then: () => void): void {
    if (process.alive) this.#onFree.set(process, then)
    else then()
  }

  /** Ends all processes. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true
    const all = [...this.#all]
    for (const process of all) process.kill('closed')
    await Promise.all(all.map(process => process.gone()))
  }

  #takeFree(tenant: string): TenantProcess | undefined {
    for (const [process, idle] of this.#free) {
      if (process.tenant !== tenant) continue
      this.#free.delete(process)
      clearTimeout(idle)
      return process
    }
    return undefined
  }

  /** Without this, an invocation right after the previous answer would need a new process each time. */
  async #waitForDraining(tenant: string): Promise<TenantProcess | undefined> {
    for (const process of this.#all) {
      if (process.tenant !== tenant || !process.draining || this.#claims.has(process)) continue
      await new Promise<void>(resolve => this.#claims.set(process, resolve))
      if (process.free) return process
    }
    return undefined
  }

  #takeSpare(): Spare {
    for (;;) {
      let spare = this.#spares.shift()
      if (!spare) {
        // The caller has a share of the memory, so there is either room or a free process to end.
        while (this.#all.size >= this.#most && this.#free.size > 0) this.#endOldest()
        spare = this.#start()
      }
      if (spare.process.alive) return spare
    }
  }

  #endOldest(): void {
    this.#free.keys().next().value?.kill('closed')
  }

  #refill(): void {
    if (this.#closed) return
    const { spares } = this.#options.limits
    while (this.#spares.length < spares && this.#all.size < this.#most) this.#spares.push(this.#start())
  }

  #start(): Spare {
    const { header, program, parts, limits, egress, headerPrefix } = this.#options
    const wantsCache = this.#cache.length === 0
    const process: TenantProcess = new TenantProcess({
      limits,
      egress,
      headerPrefix,
      launched: this.#options.launch(),
      header: { ...header, wantsCache },
      parts: [program, this.#cache, ...parts],
      onIdle: () => this.#becameFree(process),
      onMeasured: () => this.#holdMemory(),
      onEnd: end => this.#ended(process, end),
    })
    this.#all.add(process)
    this.#started++
    const ready = process.ready.then(({ cache }) => {
      // Created before any formula ran in that process, so it can be trusted.
      if (wantsCache && this.#cache.length === 0) this.#cache = new Uint8Array(cache)
    })
    ready.catch(() => {})
    return { process, ready }
  }

  /** Ends the largest process if all together exceed the memory limit. */
  #holdMemory(): void {
    const { memoryMiB } = this.#options.limits
    const sizes = [...this.#all].map(process => ({ process, sizeMiB: process.residentMiB ?? 0 }))
    const totalMiB = sizes.reduce((total, { sizeMiB }) => total + sizeMiB, 0)
    if (totalMiB <= memoryMiB) return
    const [largest] = sizes.sort((a, b) => b.sizeMiB - a.sizeMiB)
    largest?.process.kill('memory')
  }

  #becameFree(process: TenantProcess): void {
    const claim = this.#claims.get(process)
    if (claim) {
      this.#claims.delete(process)
      this.#notifyFree(process)
      claim()
      return
    }
    const { idle, idleMs } = this.#options.limits
    const expire = setTimeout(() => process.kill('closed'), idleMs)
    expire.unref()
    this.#free.set(process, expire)
    if (this.#free.size > idle) this.#endOldest()
    this.#notifyFree(process)
  }

  #ended(process: TenantProcess, end: End): void {
    if (!this.#all.delete(process)) return
    this.#ends[end] = (this.#ends[end] ?? 0) + 1
    clearTimeout(this.#free.get(process))
    this.#free.delete(process)
    const spare = this.#spares.findIndex(one => one.process === process)
    if (spare !== -1) this.#spares.splice(spare, 1)
    if (end !== 'closed' && process.tenant !== undefined) this.#options.backOff.recordFailure(process.tenant)
    if (end === 'protocol') {
      this.#options.log.warn('a formula process violated the protocol and was ended', {
        tenant: process.tenant,
      })
    }
    this.#notifyFree(process)
    this.#claims.get(process)?.()
    this.#claims.delete(process)
  }

  #notifyFree(process: TenantProcess): void {
    const then = this.#onFree.get(process)
    this.#onFree.delete(process)
    then?.()
  }
}

function includesTenant(processes: Iterable<TenantProcess>, tenant: string): boolean {
  for (const process of processes) if (process.tenant === tenant) return true
  return false
}
