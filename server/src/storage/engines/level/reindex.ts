import { blockSize, encodeBlock } from '../../index/bits.ts'
import { editsOf, imagesOf } from '../../index/edits.ts'
import { type CollectionName, collectionNamed } from '../../port/collection.ts'
import { type Counters, type DocumentHeader, noCounters } from '../../port/decide.ts'
import type { Content, StoredDocument } from '../../port/port.ts'
import {
  agendaOfAll,
  blockKey,
  collectionOfKey,
  collectionsAfter,
  counterKey,
  digestOfKey,
  documentKey,
  type KeyRange,
  keysOfSort,
  ordinalOfKey,
  reindexKey,
  termPrefix,
} from './keys.ts'
import { chunksAnew, type LevelDb } from './leveldb.ts'
import {
  cutOffVersion,
  decodeCounters,
  decodeDocument,
  decodeHeader,
  decodePlace,
  encodeCounters,
  encodeDocument,
  entriesOf,
  noValue,
} from './record.ts'

/** Returns the part of a document that its record determines; `undefined` to leave it as it is. */
export type ContentOf = (document: StoredDocument) => Promise<Omit<Content, 'box'> | undefined>

const derived = ['o', 'b', 'c', 'm', 'e', 'u'] as const
const documentsTogether = 1000

/** Where an index is built. */
interface Rebuilt {
  readonly level: LevelDb
  /** Writes a batch, and lets go of all older snapshots, so that keys have one version: see `chunksAnew`. */
  readonly write: (batch: { write(): Promise<void> }) => Promise<void>
}

/**
 * Deletes the index of all collections and builds it from the documents. Returns their number. A document that was cut off
 * is left out, as its place is not known. No server opens a folder where this did not end.
 */
export async function rebuildIndex(rebuilt: Rebuilt, contentOf: ContentOf): Promise<number> {
  const { level } = rebuilt
  await level.put(reindexKey, noValue, { sync: true })
  await clear(rebuilt, agendaOfAll)
  let count = 0
  for (let last: CollectionName | undefined; ; ) {
    const [key] = await level.keys({ ...collectionsAfter(last), limit: 1 }).all()
    if (key === undefined) break
    last = collectionOfKey(key)
    count += await rebuildCollection(rebuilt, last, contentOf)
  }
  await level.batch().del(reindexKey).write({ sync: true })
  return count
}

async function clear({ level, write }: Rebuilt, range: KeyRange): Promise<void> {
  for await (const entries of chunksAnew(level, range, documentsTogether)) {
    const batch = level.batch()
    for (const [key] of entries) batch.del(key)
    await write(batch)
  }
}

async function rebuildCollection(
  rebuilt: Rebuilt,
  collection: CollectionName,
  contentOf: ContentOf,
): Promise<number> {
  const { level, write } = rebuilt
  const place = collectionNamed(collection)
  if (!place) return 0
  for (const sort of derived) await clear(rebuilt, keysOfSort(collection, sort))
  const kept = await level.get(counterKey(collection))
  const counters = { ...noCounters, ...(kept && decodeCounters(kept)) }
  let count = 0
  for await (const entries of chunksAnew(level, keysOfSort(collection, 'd'), documentsTogether)) {
    const batch = level.batch()
    for (const [key, value] of entries) {
      const document = decodeDocument(place, digestOfKey(key), value)
      const content = await contentOf(document)
      if (document.version === cutOffVersion) continue
      const header = { ...decodeHeader(value), ...(content && { dueMs: undefined, ...content }) }
      const encoded = content && encodeDocument(header, document.box)
      // Most documents are right, and would only be merged again.
      if (encoded && !encoded.equals(value)) batch.put(key, encoded)
      for (const [entry, content] of entriesOf(collection, document.id, header)) batch.put(entry, content)
      countIn(header, counters)
      count++
    }
    await write(batch)
  }
  await level.put(counterKey(collection), encodeCounters(counters))
  await rebuildBlocks(rebuilt, collection)
  return count
}

function countIn({ ordinal, createdUs, modifiedUs = 0 }: DocumentHeader, counters: Counters): void {
  counters.nextOrdinal = Math.max(counters.nextOrdinal, ordinal + 1)
  counters.lastCreatedUs = Math.max(counters.lastCreatedUs, createdUs)
  counters.lastUs = Math.max(counters.lastUs, createdUs, modifiedUs)
}

/** Reads the documents of one block at a time, in the order of their ordinals. */
async function rebuildBlocks({ level, write }: Rebuilt, collection: CollectionName): Promise<void> {
  let block = 0
  let ids: string[] = []
  const writeBlock = async () => {
    const values = await level.getMany(ids)
    const added = values.map(value => ({
      collection,
      before: undefined,
      after: decodeHeader(value as Buffer),
    }))
    const batch = level.batch()
    for (const edit of editsOf(added)) {
      for (const [term, image] of imagesOf(edit, new Map()).images) {
        if (image) batch.put(blockKey(termPrefix(collection, term), edit.block), encodeBlock(image))
      }
    }
    ids = []
    await write(batch)
  }
  for await (const entries of chunksAnew(level, keysOfSort(collection, 'o'), documentsTogether)) {
    for (const [key, value] of entries) {
      const own = Math.floor(ordinalOfKey(key) / blockSize)
      if (own !== block) await writeBlock()
      block = own
      ids.push(documentKey(collection, decodePlace(value).id))
    }
  }
  await writeBlock()
}
