import { LRUCache } from 'lru-cache'
import type { StoredDocument } from '../../port.ts'

const mostBytes = 16 << 20

/** What an entry costs besides its box, roughly. */
const entryBytes = 300

/**
 * Documents read by id a moment ago, sealed as they are on disk. Every request reads the same few: its key,
 * its application. The writer forgets what it changes in the step that publishes the change, so what is found
 * here is what the present epoch holds.
 */
export class RecentDocuments {
  readonly #documents = new LRUCache<string, StoredDocument>({
    maxSize: mostBytes,
    sizeCalculation: document => document.box.length + entryBytes,
  })

  find(key: string): StoredDocument | undefined {
    return this.#documents.get(key)
  }

  keep(key: string, document: StoredDocument): void {
    this.#documents.set(key, document)
  }

  forget(key: string): void {
    this.#documents.delete(key)
  }

  clear(): void {
    this.#documents.clear()
  }
}
