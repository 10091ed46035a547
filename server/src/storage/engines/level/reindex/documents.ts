import type { Digest } from '../../../port/port.ts'
import { noValue } from '../changes.ts'
import {
  type CollectionKey,
  digestOfKey,
  documentKey,
  endOfKeys,
  type KeyedCollection,
  keysOfSort,
  ordinalKey,
  ordinalOfKey,
} from '../keys.ts'
import { chunksOf } from '../leveldb.ts'
import {
  cutOffVersion,
  decodeDocument,
  decodeHeader,
  decodePlace,
  digestLength,
  encodeDocument,
  type Header,
} from '../record.ts'
import { Batches } from './batches.ts'
import type { IndexedContent } from './findings.ts'
import type { Verification } from './verification.ts'

const readsAtOnce = 1000

/** Keys of the scratch database that list the documents of a collection in the order of their ordinals. */
const placeKey = (collection: CollectionKey, ordinal: number, id: Digest) =>
  `~${ordinalKey(collection, ordinal)}${id}`
const placesOf = (collection: CollectionKey) => ({ gte: `~${collection}`, lt: `~${collection}${endOfKeys}` })
const ordinalPart = (key: string) => key.slice(0, -digestLength)
const idPart = (key: string) => key.slice(-digestLength) as Digest

/** Yields the reliable documents of a collection, oldest first, as they should be. Corrects those that are not. */
export async function* documentsInOrder(
  verification: Verification,
  place: KeyedCollection,
): AsyncGenerator<readonly [Digest, Header]> {
  const { level, scratch, repairs } = verification
  await sortDocuments(verification, place.collection)
  for await (const keys of chunksOf(scratch.keys(placesOf(place.collection)), readsAtOnce)) {
    const ids = keys.map(idPart)
    const values = await level.getMany(ids.map(id => documentKey(place.collection, id)))
    for (const [index, id] of ids.entries()) {
      yield [id, await correct(verification, place, id, values[index] as Buffer)]
    }
    await repairs.flush()
  }
}

/** Writes the order of the documents to the scratch database, without those that are not reliable. */
async function sortDocuments(verification: Verification, collection: CollectionKey): Promise<void> {
  const { level, scratch, findings, unreliable } = verification
  const places = new Batches(scratch, false)
  for await (const entries of chunksOf(level.iterator(keysOfSort(collection, 'd')), readsAtOnce)) {
    for (const [key, value] of entries) {
      findings.documents++
      const { version, ordinal } = decodeHeader(value)
      const id = digestOfKey(key)
      if (version !== cutOffVersion) places.put(placeKey(collection, ordinal, id), noValue)
      else {
        findings.cutOff++
        unreliable.of(collection).ids.add(id)
      }
    }
    await places.flush()
  }
  let previous = ''
  for await (const key of scratch.keys(placesOf(collection))) {
    if (ordinalPart(key) === ordinalPart(previous)) {
      findings.displaced++
      for (const one of [previous, key]) {
        unreliable.of(collection).ids.add(idPart(one))
        places.del(one)
      }
    }
    previous = key
  }
  await places.flush()
  const { ids, ordinals } = unreliable.of(collection)
  if (ids.size === 0) return
  for await (const [key, value] of level.iterator(keysOfSort(collection, 'o'))) {
    if (ids.has(decodePlace(value).id)) ordinals.add(ordinalOfKey(key))
  }
}

/** Returns the header that a document should have, and corrects the document if it has another. */
async function correct(
  { contentOf, findings, repairs }: Verification,
  { collection, kind, tenant }: KeyedCollection,
  id: Digest,
  value: Buffer,
): Promise<Header> {
  const stored = decodeHeader(value)
  const document = decodeDocument(kind, tenant, id, value)
  const content = await contentOf(document)
  if (!content || isSame(stored, content)) return stored
  const header = { ...stored, ...content, dueMs: content.dueMs }
  findings.outdated++
  repairs.put(documentKey(collection, id), encodeDocument(header, document.box))
  return header
}

function isSame(stored: Header, content: IndexedContent): boolean {
  return (
    stored.dueMs === content.dueMs &&
    isSameSet(stored.terms, content.terms) &&
    isSameSet(stored.uniques, content.uniques)
  )
}

function isSameSet(some: readonly Digest[], others: readonly Digest[]): boolean {
  const set = new Set(some)
  return some.length === others.length && others.every(one => set.has(one))
}
