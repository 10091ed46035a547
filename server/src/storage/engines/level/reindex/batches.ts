import type { Mutations } from '../changes.ts'
import type { LevelDb } from '../leveldb.ts'

/** Collects changes of a database in batches; drops them if there is no database. */
export class Batches implements Mutations {
  readonly #level: LevelDb | undefined
  readonly #isLasting: boolean
  #batch: ReturnType<LevelDb['batch']> | undefined

  /** @param isLasting whether the changes must survive a crash of the machine */
  constructor(level: LevelDb | undefined, isLasting: boolean) {
    this.#level = level
    this.#isLasting = isLasting
  }

  put(key: string, value: Buffer): void {
    this.#batch ??= this.#level?.batch()
    this.#batch?.put(key, value)
  }

  del(key: string): void {
    this.#batch ??= this.#level?.batch()
    this.#batch?.del(key)
  }

  /** Writes the changes, if there are at least so many. */
  async flush(least = 1): Promise<void> {
    if (!this.#batch || this.#batch.length < least) return
    const batch = this.#batch
    this.#batch = undefined
    await batch.write({ sync: this.#isLasting })
  }
}
