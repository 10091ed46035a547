import type { SealingKey } from '../../crypto/envelope.ts'
import type { Digest, StoredDocument } from '../port/port.ts'
import { readFrames } from './backup-frames.ts'
import type { Collection, Documents } from './walk.ts'

/** A page of a collection, as it is written. The first page of a tenant may be empty. */
interface Page extends Collection {
  readonly documents: readonly Written[]
}

interface Written {
  readonly id: string
  readonly version: number
  readonly createdUs: number
  readonly modifiedUs?: number
  readonly dueMs?: number
  readonly terms: readonly string[]
  readonly uniques: readonly string[]
  /** In base64. */
  readonly box: string
}

export function pageOf({ kind, tenant }: Collection, documents: readonly StoredDocument[]): Page {
  const written = documents.map(({ kind: _kind, tenant: _tenant, box, ...rest }) => ({
    ...rest,
    box: Buffer.from(box).toString('base64'),
  }))
  return { kind, tenant, documents: written }
}

function documentsOf({ kind, tenant, documents }: Page): StoredDocument[] {
  return documents.map(({ id, terms, uniques, box, ...rest }) => ({
    ...rest,
    ...{ kind, tenant },
    id: id as Digest,
    terms: terms as Digest[],
    uniques: uniques as Digest[],
    box: Buffer.from(box, 'base64'),
  }))
}

/**
 * The documents in a backup. They are read from start to end: collections have to be asked for in their order, as
 * copies and comparisons do.
 */
export class BackupDocuments implements Documents {
  readonly #path: string
  readonly #key: SealingKey
  #pages: AsyncGenerator<unknown, unknown> | undefined
  #next: Page | undefined

  /** @param key the master key of the store that was backed up */
  constructor(path: string, key: SealingKey) {
    this.#path = path
    this.#key = key
  }

  /** Begins at the start of the file. @throws {BackupRefused} */
  async *tenants(): AsyncGenerator<string> {
    await this.close()
    await this.#begin()
    for (let page = this.#next; page; page = this.#next) {
      yield page.tenant
      // A reader need not ask for all collections.
      while (this.#next?.tenant === page.tenant) await this.#advance()
    }
    // A further reader begins at the start.
    await this.close()
  }

  /** @throws {BackupRefused} */
  async *collection({ kind, tenant }: Collection, fromUs = 0): AsyncGenerator<readonly StoredDocument[]> {
    if (!this.#pages) await this.#begin()
    while (this.#next?.tenant === tenant && this.#next.kind === kind) {
      const documents = documentsOf(this.#next).filter(({ createdUs }) => createdUs >= fromUs)
      await this.#advance()
      if (documents.length > 0) yield documents
    }
  }

  async close(): Promise<void> {
    await this.#pages?.return(undefined)
    this.#pages = undefined
    this.#next = undefined
  }

  async #begin(): Promise<void> {
    this.#pages = readFrames(this.#path, this.#key)
    await this.#advance()
  }

  async #advance(): Promise<void> {
    const { done, value } = (await this.#pages?.next()) ?? { done: true, value: undefined }
    this.#next = done ? undefined : (value as Page)
  }
}
