import type { Log } from '../base/log.ts'
import type { BackOff } from './back-off.ts'
import { mostProcesses, type SandboxLimits } from './limits.ts'
import type { BootHeader } from './messages.ts'
import type { Egress } from './options.ts'
import type { Launched } from './os-process.ts'
import { type End, Runner } from './runner.ts'
import { TenantProcess } from './tenant-process.ts'

export interface PoolOptions {
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

/** Given a process, and told whether it is still wanted when it is there. */
interface Spare {
  readonly process: TenantProcess
  readonly ready: Promise<void>
}

/**
 * The processes there are: spares that belong to nobody yet, and those of tenants, never more than the memory
 * allows. How many invocations may run is for `Admission` to decide; this only hands out processes.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #all = new Set<TenantProcess>()
  readonly #spares: Spare[] = []
  /** Free and of a tenant, the one used last at the end. */
  readonly #free = new Map<TenantProcess, NodeJS.Timeout>()
  readonly #onFree = new Map<TenantProcess, () => void>()
  /** Who waits for a process that has answered and is not free yet. */
  readonly #claims = new Map<TenantProcess, () => void>()
  readonly #most: number
  #cache: Uint8Array = new Uint8Array(0)
  #closed = false
  #counts = { started: 0, ended: 0 }

  constructor(options: PoolOptions) {
    this.#options = options
    this.#most = mostProcesses(options.limits)
  }

  /** How many processes there are, and have been. */
  get counts(): { readonly alive: number; readonly started: number; readonly ended: number } {
    return { alive: this.#all.size, ...this.#counts }
  }

  /** Fills up the spares. Resolves when the first is ready. @throws when no process can be started */
  async warm(): Promise<void> {
    this.#refill()
    await this.#spares[0]?.ready
  }

  /** True if the tenant has a process that is free. */
  hasFree(tenant: string): boolean {
    for (const process of this.#free.keys()) if (process.tenant === tenant) return true
    return false
  }

  /** A process of this tenant, or one that will be. @throws {NotStarted} */
  async take(tenant: string): Promise<TenantProcess> {
    const free = this.#takeFree(tenant)
    if (free) return free
    this.#options.backOff.given(tenant)
    const own = await this.#waitForDraining(tenant)
    if (own) return own
    for (let attempt = 0; ; attempt++) {
      if (this.#closed) throw new Error('the pool is closed')
      const spare = this.#takeSpare()
      // The next is started only when this one is: two at once would make both late.
      try {
        await spare.ready
        this.#refill()
        if (spare.process.alive) return spare.process
      } catch (error) {
        if (attempt === 2) throw error
      }
    }
  }

  /** Gives back what was taken and not used. */
  putBack(process: TenantProcess): void {
    if (!process.alive) return
    if (process.tenant === undefined) this.#spares.unshift({ process, ready: Promise.resolve() })
    else this.#becameFree(process)
  }

  /** Gives back what was taken: `then` is called when the process is free again, or gone. */
  afterRun(process: TenantProcess, then: () => void): void {
    if (process.alive) this.#onFree.set(process, then)
    else then()
  }

  /** Ends every process, and resolves when none is left. */
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

  /** Whoever asks again right after an answer would otherwise cost a new process each time. */
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
      const spare = this.#spares.shift() ?? this.#startInRoom()
      if (spare.process.alive) return spare
    }
  }

  /** There is room or a free process: who asks for one has a share of the memory, and so does each that works. */
  #startInRoom(): Spare {
    while (this.#all.size >= this.#most && this.#free.size > 0) this.#endOldest()
    return this.#start()
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
      onIdle: () => this.#becameFree(process),
      onMeasured: () => this.#holdMemory(),
      onEnd: end => this.#ended(process, end),
    })
    const runner = new Runner({
      launched: this.#options.launch(),
      limits,
      header: { ...header, wantsCache },
      parts: [program, this.#cache, ...parts],
      onFrame: frame => process.receive(frame),
      onEnd: end => process.ended(end),
    })
    process.attach(runner)
    this.#all.add(process)
    this.#counts.started++
    const ready = runner.ready.then(({ cache }) => {
      // Made before any formula ran in that process, so it is ours.
      if (wantsCache && this.#cache.length === 0) this.#cache = new Uint8Array(cache)
    })
    ready.catch(() => {})
    return { process, ready }
  }

  /** Ends the largest process where all together have more memory than they may. */
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
      this.#tell(process)
      claim()
      return
    }
    const { idle, idleMs } = this.#options.limits
    const expire = setTimeout(() => process.kill('closed'), idleMs)
    expire.unref()
    this.#free.set(process, expire)
    if (this.#free.size > idle) this.#endOldest()
    this.#tell(process)
  }

  #ended(process: TenantProcess, end: End): void {
    if (!this.#all.delete(process)) return
    this.#counts.ended++
    clearTimeout(this.#free.get(process))
    this.#free.delete(process)
    const spare = this.#spares.findIndex(one => one.process === process)
    if (spare !== -1) this.#spares.splice(spare, 1)
    if (end !== 'closed' && process.tenant !== undefined) this.#options.backOff.wornOut(process.tenant)
    if (end === 'protocol') {
      this.#options.log.warn('a formula broke out of the protocol; its process was ended', {
        tenant: process.tenant,
      })
    }
    this.#tell(process)
    this.#claims.get(process)?.()
    this.#claims.delete(process)
  }

  #tell(process: TenantProcess): void {
    const then = this.#onFree.get(process)
    this.#onFree.delete(process)
    then?.()
  }
}
