import type { CollectionName } from '../../port/collection.ts'
import { endOfKeys } from './keys.ts'
import type { LevelDb } from './leveldb.ts'

/**
 * Rewrites the files of a collection without removed data. A plain `compactRange` is not enough: it merges each level
 * into the next one but does not rewrite the deepest files, and LevelDB puts a flushed log directly into a deep level
 * if no other file overlaps. So the log is flushed first. Then two tombstones, at both ends of the range, make a file
 * above all others, which the second `compactRange` merges down through every file of the range.
 * @param alone runs a write between two batches of the writer
 */
export async function compactCollection(
  level: LevelDb,
  collection: CollectionName,
  alone: (write: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const end = collection + endOfKeys
  await level.compactRange(collection, collection)
  // These keys are never used. They need no sync: if they are lost, the files stay as they are.
  await alone(() => level.batch().del(collection).del(end).write())
  await level.compactRange(collection, end)
}
