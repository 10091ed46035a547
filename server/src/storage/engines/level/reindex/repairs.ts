import type { Mutations } from '../changes.ts'
import type { LevelDb } from '../leveldb.ts'

type Batch = ReturnType<LevelDb['batch']>

/** Collects what is to be put right, and does it or, in a dry run, does not. */
export class Repairs implements Mutations {
  readonly #level: LevelDb
  readonly #wanted: boolean
  #batch: Batch | undefined

  constructor(level: LevelDb, wanted: boolean) {
    this.#level = level
    this.#wanted = wanted
  }

  put(key: string, value: Buffer): void {
    this.#open()?.put(key, value)
  }

  del(key: string): void {
    this.#open()?.del(key)
  }

  /** Each repair brings the index nearer to the records: cut off between two of them, it is run again. */
  async flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = undefined
    await batch?.write({ sync: true })
  }

  #open(): Batch | undefined {
    if (this.#wanted) this.#batch ??= this.#level.batch()
    return this.#batch
  }
}
