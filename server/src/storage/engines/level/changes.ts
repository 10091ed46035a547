import type { Change as DecidedChange } from '../../decide.ts'
import type { Digest } from '../../port.ts'
import {
  agendaKey,
  anchorKey,
  blockSize,
  type CollectionKey,
  documentKey,
  dueKey,
  modifiedKey,
  ordinalKey,
  uniqueKey,
} from './keys.ts'
import { encodeDocument, encodePlace, type Header } from './record.ts'

export type Change = DecidedChange<Header, CollectionKey>

/** Takes changes of keys. LevelDB applies a batch in order, so the last change of a key wins. */
export interface Mutations {
  put(key: string, value: Buffer): unknown
  del(key: string): unknown
}

export const noValue = Buffer.alloc(0)

/** Writes all that a change of one document changes, except for the blocks of the index. */
export function encodeChange({ collection, write, before, after }: Change, mutations: Mutations): void {
  const { id } = write
  if (after && 'box' in write) mutations.put(documentKey(collection, id), encodeDocument(after, write.box))
  else mutations.del(documentKey(collection, id))
  encodePlaceChange(collection, id, before, after, mutations)
  for (const unique of before?.uniques ?? []) {
    if (!after?.uniques.includes(unique)) mutations.del(uniqueKey(collection, unique))
  }
  for (const unique of after?.uniques ?? []) {
    if (before?.uniques.includes(unique)) continue
    mutations.put(uniqueKey(collection, unique), Buffer.from(id, 'latin1'))
  }
  encodeDueChange(collection, id, before, after, mutations)
  if (before?.modifiedUs !== undefined) {
    mutations.del(modifiedKey(collection, before.modifiedUs, before.ordinal))
  }
  if (after?.modifiedUs !== undefined) {
    mutations.put(modifiedKey(collection, after.modifiedUs, after.ordinal), noValue)
  }
}

function encodePlaceChange(
  collection: CollectionKey,
  id: Digest,
  before: Header | undefined,
  after: Header | undefined,
  mutations: Mutations,
): void {
  if (before && !after) mutations.del(ordinalKey(collection, before.ordinal))
  if (before || !after) return
  const { ordinal, createdUs } = after
  mutations.put(ordinalKey(collection, ordinal), encodePlace(id, createdUs))
  if (ordinal % blockSize === 0) mutations.put(anchorKey(collection, createdUs, ordinal / blockSize), noValue)
}

function encodeDueChange(
  collection: CollectionKey,
  id: Digest,
  before: Header | undefined,
  after: Header | undefined,
  mutations: Mutations,
): void {
  if (before?.dueMs === after?.dueMs) return
  if (before?.dueMs !== undefined) {
    mutations.del(dueKey(collection, before.dueMs, before.ordinal))
    mutations.del(agendaKey(collection, before.dueMs, before.ordinal))
  }
  if (after?.dueMs !== undefined) {
    mutations.put(dueKey(collection, after.dueMs, after.ordinal), noValue)
    mutations.put(agendaKey(collection, after.dueMs, after.ordinal), Buffer.from(id, 'latin1'))
  }
}
