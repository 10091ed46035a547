import type { Store, Write } from '../port.ts'
import { CopyRefused } from './refused.ts'

const defaultSize = 500
const mostBytes = 2 << 20

/** Batches documents of any collections into commits, and accepts more while a commit is being written. */
export class RestoreBatch {
  written = 0
  readonly #store: Store
  readonly #nowUs: number
  readonly #size: number
  #writes: Write[] = []
  #bytes = 0
  #writing: Promise<unknown> = Promise.resolve()

  constructor(store: Store, nowUs: number, size = defaultSize) {
    this.#store = store
    this.#nowUs = nowUs
    this.#size = size
  }

  async add(write: Write): Promise<void> {
    this.#writes.push(write)
    this.#bytes += 'box' in write ? write.box.length : 0
    if (this.#writes.length >= this.#size || this.#bytes >= mostBytes) await this.#flush()
  }

  async finish(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** One commit at a time, as the destination must always hold the beginning of each collection. */
  async #flush(): Promise<void> {
    await this.#writing
    const writes = this.#writes
    if (writes.length === 0) return
    this.#writes = []
    this.#bytes = 0
    this.#writing = mustCommit(this.#store, writes, this.#nowUs).then(() => {
      this.written += writes.length
    })
    // The next call awaits it and gets the error; until then it must not count as unhandled.
    this.#writing.catch(() => {})
  }
}

/** @throws {CopyRefused} */
export async function mustCommit(store: Store, writes: readonly Write[], nowUs: number): Promise<void> {
  const result = await store.commit(writes, nowUs).catch(error => {
    // Times and versions are not sealed, so the source may hold values that are not valid.
    if (!(error instanceof RangeError)) throw error
    throw new CopyRefused(
      `the source holds values that no store accepts: ${error.message}; restore the source first`,
    )
  })
  if (result.ok) return
  const { kind, tenant, id } = writes[result.conflict.write] as Write
  throw new CopyRefused(
    `the destination does not accept ${kind}/${tenant}/${id} (${result.conflict.reason}): ` +
      'another process writes to it, or the source has changed since the copy was begun',
  )
}
