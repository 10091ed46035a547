import type { Collection, CollectionName } from '../../port/collection.ts'
import { type Change, type Counters, type DocumentHeader, documentWith } from '../../port/decide.ts'
import type { Digest, StoredDocument } from '../../port/port.ts'
import { agendaKey, createdKey, documentKey, dueKey, modifiedKey, ordinalKey, uniqueKey } from './keys.ts'

/*
 * A document's value, numbers big-endian:
 *   flags u8 | terms u16 | uniques u16 | version u32 | ordinal f64 | created f64 | modified f64 | due f64
 *   | terms and uniques, 22 ASCII characters each | box
 * A double holds every whole number up to 2^53 exactly, without a BigInt. Digests stay text: bytes would be 6
 * shorter, but decoding each would take a native call on every get.
 */
const fixedLength = 41
const digestLength = 22
const wasModified = 1
const isDue = 2

export function encodeDocument(header: DocumentHeader, box: Uint8Array): Buffer {
  const { terms, uniques, modifiedUs, dueMs } = header
  const boxStart = fixedLength + digestLength * (terms.length + uniques.length)
  const bytes = Buffer.allocUnsafe(boxStart + box.length)
  bytes[0] = (modifiedUs === undefined ? 0 : wasModified) | (dueMs === undefined ? 0 : isDue)
  bytes.writeUInt16BE(terms.length, 1)
  bytes.writeUInt16BE(uniques.length, 3)
  bytes.writeUInt32BE(header.version, 5)
  bytes.writeDoubleBE(header.ordinal, 9)
  bytes.writeDoubleBE(header.createdUs, 17)
  bytes.writeDoubleBE(modifiedUs ?? 0, 25)
  bytes.writeDoubleBE(dueMs ?? 0, 33)
  const digests = uniques.length === 0 ? terms.join('') : terms.join('') + uniques.join('')
  bytes.write(digests, fixedLength, 'latin1')
  bytes.set(box, boxStart)
  return bytes
}

/** The version of a value that was cut off, of which nothing is reliable. */
export const cutOffVersion = 0
const cutOff: DocumentHeader = {
  ordinal: 0,
  version: cutOffVersion,
  createdUs: 0,
  modifiedUs: undefined,
  dueMs: undefined,
  terms: [],
  uniques: [],
}

export function decodeHeader(bytes: Buffer): DocumentHeader {
  if (bytes.length < fixedLength) return cutOff
  const flags = bytes[0] ?? 0
  const terms = bytes.readUInt16BE(1)
  const uniques = bytes.readUInt16BE(3)
  if (bytes.length < fixedLength + digestLength * (terms + uniques)) return cutOff
  const digests = bytes.toString('latin1', fixedLength, fixedLength + digestLength * (terms + uniques))
  return {
    ordinal: bytes.readDoubleBE(9),
    version: bytes.readUInt32BE(5),
    createdUs: bytes.readDoubleBE(17),
    modifiedUs: flags & wasModified ? bytes.readDoubleBE(25) : undefined,
    dueMs: flags & isDue ? bytes.readDoubleBE(33) : undefined,
    terms: splitDigests(digests, 0, terms),
    uniques: splitDigests(digests, terms, uniques),
  }
}

export function decodeDocument({ kind, tenant }: Collection, id: Digest, bytes: Buffer): StoredDocument {
  const header = decodeHeader(bytes)
  const { version, terms, uniques } = header
  // A value that was cut off gets an empty box, which does not open, so that other documents can still be read.
  const boxStart =
    version === cutOffVersion ? bytes.length : fixedLength + digestLength * (terms.length + uniques.length)
  // A view is enough, as the bytes were read for this document alone.
  const box = new Uint8Array(bytes.buffer, bytes.byteOffset + boxStart, bytes.length - boxStart)
  return documentWith(header, { kind, tenant, id }, box)
}

/** Decodes only the ordinal of a stored document; `undefined` if the value was cut off. */
export function decodeOrdinal(bytes: Buffer): number | undefined {
  return bytes.length < fixedLength ? undefined : bytes.readDoubleBE(9)
}

function splitDigests(text: string, from: number, count: number): Digest[] {
  const digests: Digest[] = []
  for (let index = from; index < from + count; index++) {
    digests.push(text.slice(index * digestLength, (index + 1) * digestLength) as Digest)
  }
  return digests
}

/** Encodes the value of an ordinal: the document's id and when it was created. */
function encodePlace(id: Digest, createdUs: number): Buffer {
  const bytes = Buffer.allocUnsafe(digestLength + 8)
  bytes.write(id, 0, 'latin1')
  bytes.writeDoubleBE(createdUs, digestLength)
  return bytes
}

export function decodePlace(bytes: Buffer): { id: Digest; createdUs: number } {
  return {
    id: bytes.toString('latin1', 0, digestLength) as Digest,
    createdUs: bytes.readDoubleBE(digestLength),
  }
}

export function encodeCounters({ nextOrdinal, lastUs, lastCreatedUs }: Counters): Buffer {
  const bytes = Buffer.allocUnsafe(24)
  bytes.writeDoubleBE(nextOrdinal, 0)
  bytes.writeDoubleBE(lastUs, 8)
  bytes.writeDoubleBE(lastCreatedUs, 16)
  return bytes
}

export function decodeCounters(bytes: Buffer): Omit<Counters, 'fromOrdinal' | 'state'> {
  return {
    nextOrdinal: bytes.readDoubleBE(0),
    lastUs: bytes.readDoubleBE(8),
    lastCreatedUs: bytes.readDoubleBE(16),
  }
}

/** Takes changes of keys. LevelDB applies a batch in order, so the last change of a key wins. */
interface Mutations {
  put(key: string, value: Buffer): unknown
  del(key: string): unknown
}

/** Of a key that says all. A byte, as `classic-level` 3.0.0 never frees what it allocates for an empty value. */
export const noValue = Buffer.of(0)

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
  collection: CollectionName,
  id: Digest,
  { ordinal, createdUs, modifiedUs, dueMs, uniques }: DocumentHeader,
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
