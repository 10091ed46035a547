import { LRUCache } from 'lru-cache'
import { sha256 } from '../crypto/digest.ts'
import type { BackOff } from './back-off.ts'
import { FairQueue } from './fair-queue.ts'
import {
  PreparationFailed,
  type Prepared,
  PreparerProcess,
  type PreparerProcessOptions,
} from './preparer-process.ts'

export interface PreparerOptions extends PreparerProcessOptions {
  readonly backOff: BackOff
}

/** Code without any of these passes the filters of the compartment unchanged. */
const suspicious = /import|<!--|-->/

/** Size of the cache in characters. */
const cacheLength = 8 * 1024 * 1024

/** Code that waits to be prepared, and the invocations that wait for it. */
interface Pending {
  readonly digest: string
  readonly code: string
  readonly waiters: Set<Waiter>
  isStarted: boolean
}

interface Waiter {
  readonly resolve: (prepared: Prepared) => void
  readonly reject: (error: unknown) => void
  /** Leaves the queue. */
  giveUp: () => void
}

/** Code that is being prepared. */
export interface Preparing {
  readonly prepared: Promise<Prepared>
  /** Stops waiting. The code is not prepared unless others wait for it too. */
  giveUp(): void
}

/**
 * Rewrites harmless code so that it passes the filters of the compartment. A few processes do this; tenants take
 * turns in them, with one text of each tenant at a time. Code requested several times is prepared once. Results are
 * cached by digest, except `PreparationFailed`.
 */
export class Preparer {
  readonly #options: PreparerOptions
  readonly #cache = new LRUCache<string, Prepared>({
    maxSize: cacheLength,
    sizeCalculation: prepared => 1 + (prepared.ok ? prepared.text.length : prepared.detail.length),
  })
  readonly #pending = new Map<string, Pending>()
  readonly #queue: FairQueue
  readonly #free: PreparerProcess[]
  readonly #all: readonly PreparerProcess[]

  constructor(options: PreparerOptions) {
    this.#options = options
    const { backOff, limits } = options
    this.#all = Array.from({ length: limits.preparers }, () => new PreparerProcess(options))
    this.#free = [...this.#all]
    const slots = { slots: limits.preparers, slotsPerTenant: 1 }
    this.#queue = new FairQueue(slots, tenant => backOff.waitMs(tenant) === 0)
    backOff.onWaitEnd(() => this.#queue.next())
  }

  /** Returns most code immediately; only code that contains a word of the filters needs to be rewritten. */
  prepare(tenant: string, code: string): Prepared | Preparing {
    if (!suspicious.test(code)) return { ok: true, text: code }
    const digest = sha256(code)
    return this.#cache.get(digest) ?? this.#enqueue(tenant, digest, code)
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(process => process.close()))
  }

  #enqueue(tenant: string, digest: string, code: string): Preparing {
    const pending: Pending = this.#pending.get(digest) ?? {
      digest,
      code,
      waiters: new Set(),
      isStarted: false,
    }
    this.#pending.set(digest, pending)
    let leave = () => {}
    const prepared = new Promise<Prepared>((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, giveUp: () => {} }
      pending.waiters.add(waiter)
      leave = () => this.#leave(pending, waiter)
      // Each waiter takes a turn of its own tenant, even for code that another tenant already waits for.
      waiter.giveUp = this.#queue.enter(tenant, release => {
        if (pending.isStarted || !pending.waiters.has(waiter)) return release()
        pending.isStarted = true
        void this.#prepareNow(pending, tenant).finally(release)
      })
    })
    return { prepared, giveUp: leave }
  }

  #leave(pending: Pending, waiter: Waiter): void {
    waiter.giveUp()
    pending.waiters.delete(waiter)
    if (pending.waiters.size === 0 && !pending.isStarted) this.#pending.delete(pending.digest)
  }

  async #prepareNow(pending: Pending, tenant: string): Promise<void> {
    const preparer = this.#free.pop()
    let settle: (waiter: Waiter) => void
    try {
      if (!preparer) throw new Error('no process for a slot')
      const prepared = await preparer.prepare(pending.code)
      this.#cache.set(pending.digest, prepared)
      settle = waiter => waiter.resolve(prepared)
    } catch (error) {
      if (error instanceof PreparationFailed && error.reason !== 'starved')
        this.#options.backOff.recordFailure(tenant)
      settle = waiter => waiter.reject(error)
    }
    if (preparer) this.#free.push(preparer)
    this.#pending.delete(pending.digest)
    for (const waiter of pending.waiters) {
      waiter.giveUp()
      settle(waiter)
    }
  }
}
