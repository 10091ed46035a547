import type { Pool } from 'pg'
import { ClearingCache } from '../../../../base/cache.ts'
import { monotonicMs, setTimeout } from '../../../../base/time/real-time.ts'
import type { DocumentKind } from '../../../port/port.ts'
import { withClient } from '../connect.ts'
import { withRetries } from '../faults.ts'
import { numberOf } from '../kinds.ts'
import { rowsOf } from '../rows.ts'
import { Fold, type FoldedCollection } from './fold.ts'
import { type FoldLimits, foldedKinds, isWorthFolding } from './fold-limits.ts'
import { staleCollections } from './statements.ts'

/** Longest pause after a step, in milliseconds. */
const longestPauseMs = 200

const mostRemembered = 1000

/** @param isFirst false if the attempt before failed too */
export type OnFoldFailure = (error: unknown, collection: FoldedCollection, isFirst: boolean) => void

/** Folds collections in the background, one at a time, with a pause after each step. */
export class Folder {
  readonly #pool: Pool
  readonly #limits: FoldLimits
  readonly #onFailure: OnFoldFailure
  readonly #waiting = new Map<string, FoldedCollection>()
  /** When each collection was last folded from the beginning, by the monotonic clock. */
  readonly #begun = new ClearingCache<string, number>(mostRemembered)
  /** When there was nothing to fold in a collection, by the monotonic clock. */
  readonly #quiet = new ClearingCache<string, number>(mostRemembered)
  /** True for collections whose last attempt failed. */
  readonly #failing = new ClearingCache<string, boolean>(mostRemembered)
  #running: Promise<void> | undefined
  #stopped = false

  constructor(pool: Pool, limits: FoldLimits, onFailure: OnFoldFailure) {
    this.#pool = pool
    this.#limits = limits
    this.#onFailure = onFailure
  }

  /** Folds a collection soon. */
  hint(collection: FoldedCollection): void {
    const name = nameOf(collection)
    const quietSinceMs = this.#quiet.get(name) ?? Number.NEGATIVE_INFINITY
    if (this.#stopped || monotonicMs() - quietSinceMs < this.#limits.quietMs) return
    this.#waiting.set(name, collection)
    this.#running ??= this.#run()
  }

  /** Folds a collection soon that was written to, if it is large and enough of it is not in blocks. */
  written(kind: DocumentKind, tenant: string, documents: number, unfolded: number): void {
    if (!foldedKinds.has(kind) || !isWorthFolding(documents, unfolded, this.#limits)) return
    this.hint({ tenant, kind: numberOf(kind) })
  }

  /** Folds everything that is stale, so that nothing is left of removed documents. */
  async foldStale(): Promise<void> {
    const { rows } = await this.#pool.query(rowsOf(staleCollections, []))
    for (const [tenant, kind] of rows as unknown as (readonly [string, string])[]) {
      await this.fold({ tenant, kind: Number(kind) })
    }
  }

  /** Folds a collection as far as possible. */
  async fold(collection: FoldedCollection, pause: (tookMs: number) => Promise<void> = async () => {}) {
    const name = nameOf(collection)
    for (let goesOn = true; goesOn && !this.#stopped; ) {
      const beganMs = monotonicMs()
      const lastMs = this.#begun.get(name) ?? Number.NEGATIVE_INFINITY
      const mayForget = beganMs - lastMs >= this.#limits.againAfterMs
      const step = () =>
        withClient(this.#pool, client => new Fold(client, collection, this.#limits).step(mayForget))
      const done = await withRetries(step)
      if (done === 'forgotten') this.#begun.set(name, beganMs)
      goesOn = done !== 'nothing'
      if (!goesOn) this.#quiet.set(name, monotonicMs())
      await pause(monotonicMs() - beganMs)
    }
    this.#failing.set(name, false)
  }

  /** Resolves when the step in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (const [name, collection] of this.#waiting) {
      this.#waiting.delete(name)
      try {
        // As long as the step took, so that folding takes at most half of a connection.
        await this.fold(collection, tookMs => this.#rest(Math.min(tookMs, longestPauseMs)))
      } catch (error) {
        const isFirst = !this.#failing.get(name)
        this.#failing.set(name, true)
        // It is tried again after the next hint. Until then totals are slower, not wrong.
        this.#onFailure(error, collection, isFirst)
      }
    }
    this.#running = undefined
  }

  #rest(ms: number): Promise<void> {
    return new Promise(resolve => void setTimeout(resolve, ms))
  }
}

const nameOf = ({ tenant, kind }: FoldedCollection) => `${tenant} ${kind}`
