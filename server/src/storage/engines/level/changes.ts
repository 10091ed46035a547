import type { Change as DecidedChange } from '../../port/decide.ts'
import type { Digest } from '../../port/port.ts'
import {
  agendaKey,
  type CollectionKey,
  createdKey,
  documentKey,
  dueKey,
  modifiedKey,
  ordinalKey,
  uniqueKey,
} from './keys.ts'
import { encodeDocument, encodePlace, type Header } from './record.ts'

export type Change = DecidedChange<Header, CollectionKey>

/** Takes changes of keys. LevelDB applies a batch in order, so the last change of a key wins. */
interface Mutations {
  put(key: string, value: Buffer): unknown
  del(key: string): unknown
}

export const noValue = Buffer.alloc(0)

/** Writes all that a change of one document changes, except for the blocks of the index. */
export function encodeChange({ collection, write, before, after }: Change, mutations: Mutations): void {
  const { id } = write
  if (after && 'seal' in write) {
    mutations.put(documentKey(collection, id), encodeDocument(after, write.seal(after)))
  } else mutations.del(documentKey(collection, id))
  const old = before ? entriesOf(collection, id, before) : noEntries
  const now = after ? entriesOf(collection, id, after) : noEntries
  for (const key of old.keys()) if (!now.has(key)) mutations.del(key)
  for (const [key, value] of now) if (!old.has(key)) mutations.put(key, value)
}

const noEntries: ReadonlyMap<string, Buffer> = new Map()

/** Returns the index entries of a document by key, without blocks. No two documents share a key. */
export function entriesOf(
  collection: CollectionKey,
  id: Digest,
  { ordinal, createdUs, modifiedUs, dueMs, uniques }: Header,
): ReadonlyMap<string, Buffer> {
  const entries = new Map([
    [ordinalKey(collection, ordinal), encodePlace(id, createdUs)],
    [createdKey(collection, createdUs, ordinal), noValue],
  ])
  for (const unique of uniques) entries.set(uniqueKey(collection, unique), Buffer.from(id, 'latin1'))
  if (dueMs !== undefined) {
    entries.set(dueKey(collection, dueMs, ordinal), noValue)
    entries.set(agendaKey(collection, dueMs, ordinal), Buffer.from(id, 'latin1'))
  }
  if (modifiedUs !== undefined) entries.set(modifiedKey(collection, modifiedUs, ordinal), noValue)
  return entries
}
