import { LRUCache } from 'lru-cache'
import { sha256 } from '../crypto/digest.ts'
import type { BackOff } from './back-off.ts'
import { FairQueue } from './fair-queue.ts'
import { NotRead, type Prepared, type ReadingOptions, ReadingProcess } from './reading-process.ts'

export interface PreparerOptions extends ReadingOptions {
  readonly backOff: BackOff
}

/** Without one of these a text goes through the compartment's filters as it is. */
const suspicious = /import|<!--|-->/

/** Of all texts that are kept, in characters. */
const keptLength = 8 * 1024 * 1024

/** A text that is asked for, by how many of each tenant, and what becomes of it. */
interface Asked {
  readonly digest: string
  readonly code: string
  readonly askers: Set<Asker>
  isRead: boolean
}

interface Asker {
  readonly resolve: (prepared: Prepared) => void
  readonly reject: (error: unknown) => void
  /** Leaves the queue. */
  giveUp: () => void
}

/** A text on its way. */
export interface Preparing {
  readonly prepared: Promise<Prepared>
  /** Nobody waits for it here any more: unless others do, it is not read. */
  giveUp(): void
}

/**
 * Spells harmless code so that the compartment's filters let it pass. Texts are read by a few processes, in which
 * tenants take turns, one text of each at a time. A text that many ask for is read once. What was read is kept by
 * digest; that a text was not read to its end is not.
 */
export class Preparer {
  readonly #options: PreparerOptions
  readonly #known = new LRUCache<string, Prepared>({
    maxSize: keptLength,
    sizeCalculation: prepared => 1 + (prepared.ok ? prepared.text.length : prepared.detail.length),
  })
  readonly #asked = new Map<string, Asked>()
  readonly #queue: FairQueue
  readonly #free: ReadingProcess[]
  readonly #all: readonly ReadingProcess[]

  constructor(options: PreparerOptions) {
    this.#options = options
    const { backOff, limits } = options
    this.#all = Array.from({ length: limits.readers }, () => new ReadingProcess(options))
    this.#free = [...this.#all]
    const slots = { slots: limits.readers, slotsPerTenant: 1 }
    this.#queue = new FairQueue(slots, tenant => backOff.waitMs(tenant) === 0)
    backOff.onOver(() => this.#queue.next())
  }

  /** At once for most code: only what holds a word of the filters' is read. */
  prepare(tenant: string, code: string): Prepared | Preparing {
    if (!suspicious.test(code)) return { ok: true, text: code }
    const digest = sha256(code)
    return this.#known.get(digest) ?? this.#ask(tenant, digest, code)
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(process => process.close()))
  }

  #ask(tenant: string, digest: string, code: string): Preparing {
    const asked: Asked = this.#asked.get(digest) ?? { digest, code, askers: new Set(), isRead: false }
    this.#asked.set(digest, asked)
    let leave = () => {}
    const prepared = new Promise<Prepared>((resolve, reject) => {
      const asker: Asker = { resolve, reject, giveUp: () => {} }
      asked.askers.add(asker)
      leave = () => this.#leave(asked, asker)
      // A tenant that asks for what another waits for already has its own turn for it.
      asker.giveUp = this.#queue.enter(tenant, release => {
        if (asked.isRead || !asked.askers.has(asker)) return release()
        asked.isRead = true
        void this.#read(asked, tenant).finally(release)
      })
    })
    return { prepared, giveUp: leave }
  }

  #leave(asked: Asked, asker: Asker): void {
    asker.giveUp()
    asked.askers.delete(asker)
    if (asked.askers.size === 0 && !asked.isRead) this.#asked.delete(asked.digest)
  }

  async #read(asked: Asked, tenant: string): Promise<void> {
    const reader = this.#free.pop()
    let settle: (asker: Asker) => void
    try {
      if (!reader) throw new Error('a slot without a process')
      const prepared = await reader.read(asked.code)
      this.#known.set(asked.digest, prepared)
      settle = asker => asker.resolve(prepared)
    } catch (error) {
      if (error instanceof NotRead && error.why !== 'starved') this.#options.backOff.wornOut(tenant)
      settle = asker => asker.reject(error)
    }
    if (reader) this.#free.push(reader)
    this.#asked.delete(asked.digest)
    for (const asker of asked.askers) {
      asker.giveUp()
      settle(asker)
    }
  }
}
