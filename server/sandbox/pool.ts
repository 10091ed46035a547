import type { Log } from '../base/log.ts'
import type { SandboxLimits } from './limits.ts'
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
}

/** Given a process, and told whether it is still wanted when it is there. */
interface Spare {
  readonly process: TenantProcess
  readonly ready: Promise<void>
}

/**
 * The processes there are: spares that belong to nobody yet, and those of tenants. How many invocations may
 * run is the queue's business; this only hands out processes.
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
  #cache: Uint8Array = new Uint8Array(0)
  #closed = false
  #counts = { started: 0, ended: 0 }

  constructor(options: PoolOptions) {
    this.#options = options
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

  /** A process of this tenant, or one that will be. @throws when none can be started */
  async take(tenant: string): Promise<TenantProcess> {
    const own = this.#takeFree(tenant) ?? (await this.#waitForDraining(tenant))
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
      const spare = this.#spares.shift() ?? this.#start()
      if (spare.process.alive) return spare
    }
  }

  #refill(): void {
    if (this.#closed) return
    while (this.#spares.length < this.#options.limits.spares) this.#spares.push(this.#start())
  }

  #start(): Spare {
    const { header, program, parts, limits, egress, headerPrefix } = this.#options
    const wantsCache = this.#cache.length === 0
    const process: TenantProcess = new TenantProcess({
      limits,
      egress,
      headerPrefix,
      onIdle: () => this.#becameFree(process),
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
    if (this.#free.size > idle) this.#free.keys().next().value?.kill('closed')
    this.#tell(process)
  }

  #ended(process: TenantProcess, end: End): void {
    if (!this.#all.delete(process)) return
    this.#counts.ended++
    clearTimeout(this.#free.get(process))
    this.#free.delete(process)
    const spare = this.#spares.findIndex(one => one.process === process)
    if (spare !== -1) this.#spares.splice(spare, 1)
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
