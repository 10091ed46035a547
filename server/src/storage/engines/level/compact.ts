import { type CollectionKey, endOfKeys, garbageOfKey, garbageRange } from './keys.ts'
import type { LevelDb } from './leveldb.ts'
import type { PublishedState } from './state.ts'

/** The marks of collections where documents were removed or replaced, by round. */
export async function readGarbageMarks(state: PublishedState) {
  const epoch = state.epoch.hold()
  try {
    const marks: { key: string; round: number; collection: CollectionKey }[] = []
    for await (const keys of epoch.keys(garbageRange, 1000)) {
      for (const key of keys) marks.push({ key, ...garbageOfKey(key) })
    }
    return marks
  } finally {
    epoch.release()
  }
}

/**
 * Rewrites a collection's files without what was removed from them. A plain `compactRange` leaves much in
 * place: it merges each level into the next one but never rewrites the deepest files, and LevelDB puts a
 * flushed log straight into a deep level where nothing is in its way. So the log is flushed first, and then
 * two tombstones at both ends of the range make a file above all of it, which the second pass carries down
 * through every file of the range.
 * @param alone runs a write between two of the writer's
 */
export async function compactCollection(
  level: LevelDb,
  collection: CollectionKey,
  alone: (write: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const end = collection + endOfKeys
  await level.compactRange(collection, collection)
  // Neither key is ever used. They need no sync: lost, they only leave the files as they are.
  await alone(() => level.batch().del(collection).del(end).write())
  await level.compactRange(collection, end)
}
