import { LRUCache } from 'lru-cache'
import type { StoredDocument } from '../../port.ts'

/** Approximate memory of an entry in addition to its box. */
const entryBytes = 300

/**
 * Documents read by id a moment ago, sealed as on disk, because every request reads the same few: its key, its
 * application. The writer deletes what it changes in the step that publishes the change, so every entry is what
 * the present epoch holds.
 */
export type RecentDocuments = LRUCache<string, StoredDocument>

export function recentDocuments(): RecentDocuments {
  return new LRUCache({ maxSize: 16 << 20, sizeCalculation: ({ box }) => box.length + entryBytes })
}
