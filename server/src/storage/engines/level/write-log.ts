import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LevelDb } from './leveldb.ts'

/** Empty if the folder was removed, where LevelDB still writes to its open files. */
const namesOfLogs = async (folder: string) =>
  (await readdir(folder).catch((): string[] => [])).filter(name => name.endsWith('.log'))

/**
 * The log of an open folder. Its entries are in memory, too, until LevelDB makes a table of them and begins another log. We
 * say when, so that no search is under a snapshot older than a table: LevelDB 1.20 would keep several versions of a key for
 * it, might end a table between them, and move down the newer one alone. Reads then find the older one, above it, for good
 * if the newer one was a removal (google/leveldb#320).
 */
export class WriteLog {
  readonly #level: LevelDb
  readonly #limit: number
  #name: string | undefined
  #making: Promise<void> | undefined

  /** @param limit in bytes */
  constructor(level: LevelDb, limit: number) {
    this.#level = level
    this.#limit = limit
  }

  /** True if another log should begin before the next write. While a table is made, the log may have twice as many bytes. */
  async isLong(): Promise<boolean> {
    const { location } = this.#level
    // 6 µs, as the system has it in memory.
    const found = this.#name && statSync(join(location, this.#name), { throwIfNoEntry: false })
    if (found) return found.size > this.#limit * (this.#making ? 2 : 1)
    // LevelDB has begun another one, when the folder was opened or as much was written at once.
    this.#name = (await namesOfLogs(location))[0]
    return false
  }

  /** Resolves when LevelDB makes no table of a log that was ended. */
  async settled(): Promise<void> {
    await this.#making
  }

  /**
   * Begins another log, and has LevelDB make a table of the last one, and then rewrite the tables of a range. Nothing may be
   * written meanwhile, and no older epoch be in use.
   * @returns when what is written next goes to the new log, something that resolves when the tables are made
   */
  async begin(from = '', to = ''): Promise<{ readonly done: Promise<void> }> {
    await this.settled()
    const before = new Set(await namesOfLogs(this.#level.location))
    let isDone = false
    const done = this.#level.compactRange(from, to).finally(() => {
      isDone = true
      this.#making = undefined
    })
    this.#making = done.catch(() => {})
    do this.#name = (await namesOfLogs(this.#level.location)).find(name => !before.has(name))
    while (!this.#name && !isDone)
    return { done }
  }
}
