import type { Mutations } from '../changes.ts'
import type { LevelDb } from '../leveldb.ts'

type Batch = ReturnType<LevelDb['batch']>

/** Collects corrections in batches. In a dry run they are dropped. */
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
