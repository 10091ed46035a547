/**
 * Decides commits as port.ts promises. Engines first read what the conditions ask for, then decide in process, and then
 * write what changed.
 */
import { type Collection, type CollectionName, collectionOf } from './collection.ts'
import type { Address, CommitResult, Conflict, Digest, StoredDocument, Write, Written } from './port.ts'

/** About the bytes of all boxes of a commit, which limits how many commits share a group. */
export function bytesOf(writes: readonly Write[]): number {
  let bytes = 0
  for (const write of writes) if ('seal' in write) bytes += write.bytes
  return bytes
}

/** Writes to decide together, and the caller's clock. */
export interface Commit {
  readonly writes: readonly Write[]
  readonly nowUs: number
}

const digestLength = 22
const mostDigests = 0xffff

/**
 * Rejects what no engine could store, before it can disturb the commits of others.
 * @throws {RangeError | TypeError}
 */
export function checkCommit(writes: readonly Write[], nowUs: number): void {
  checkTime(nowUs)
  for (const write of writes) {
    if ('dueMs' in write && write.dueMs !== undefined) checkTime(write.dueMs)
    if (write.type === 'restore') checkWritten(write)
    checkDigest(write.id)
    if ('terms' in write) for (const digests of [write.terms, write.uniques]) checkDigests(digests)
  }
}

function checkDigests(digests: readonly Digest[]): void {
  if (digests.length > mostDigests) throw new RangeError(`a document has at most ${mostDigests} terms`)
  for (const digest of digests) checkDigest(digest)
}

function checkDigest({ length }: Digest): void {
  if (length !== digestLength) throw new TypeError(`a digest has ${digestLength} characters`)
}

function checkWritten({ version, createdUs, modifiedUs }: Written): void {
  if (!Number.isInteger(version) || version < 1 || version > 0x7fffffff) {
    throw new RangeError('versions are whole numbers from 1 to 2^31 - 1')
  }
  checkTime(createdUs)
  if (modifiedUs === undefined) return
  checkTime(modifiedUs)
  if (modifiedUs <= createdUs) throw new RangeError('a document is modified after it was created')
}

function checkTime(time: number): void {
  if (!Number.isSafeInteger(time) || time < 0) throw new RangeError('times are whole numbers from 0 on')
}

/** The documents and uniques of one collection that the conditions of a group of commits ask for. */
export interface Lookup extends Collection {
  readonly ids: Set<Digest>
  readonly uniques: Set<Digest>
}

/** A document without its box, with its ordinal. */
export interface DocumentHeader {
  /** The document's place in its collection: dense, never reused, in the order of `createdUs`. */
  readonly ordinal: number
  readonly version: number
  readonly createdUs: number
  readonly modifiedUs: number | undefined
  readonly dueMs: number | undefined
  readonly terms: readonly Digest[]
  readonly uniques: readonly Digest[]
}

/** Returns a document as callers see it. */
export function documentWith(
  header: DocumentHeader,
  { kind, tenant, id }: Address,
  box: Uint8Array,
): StoredDocument {
  const { version, createdUs, modifiedUs, dueMs, terms, uniques } = header
  return {
    ...{ kind, tenant, id, terms, uniques, box, version, createdUs },
    ...(dueMs === undefined ? {} : { dueMs }),
    ...(modifiedUs === undefined ? {} : { modifiedUs }),
  }
}

/** What a collection gives to new documents. It outlives those. */
export interface Counters {
  nextOrdinal: number
  /** The last stamp of any write. */
  lastUs: number
  /** The stamp of the newest document there ever was; -1 where there was none. */
  lastCreatedUs: number
  /** The first ordinal that the group of commits can give. */
  fromOrdinal: number
  /** A number that changes with every change to a document that was there before. */
  state: number
}

/** Of a collection that never had a document. */
export const noCounters: Readonly<Counters> = {
  nextOrdinal: 0,
  lastUs: 0,
  lastCreatedUs: -1,
  fromOrdinal: 0,
  state: 0,
}

/** The stored state of a collection that a `Lookup` asked for. Decisions change it as the commits would. */
export interface CollectionState {
  readonly documents: Map<Digest, DocumentHeader>
  /** By unique, the document that holds it. */
  readonly holders: Map<Digest, Digest>
  readonly counters: Counters
}

/** A document before and after one write. */
export interface Change {
  readonly collection: CollectionName
  readonly write: Write
  readonly before: DocumentHeader | undefined
  readonly after: DocumentHeader | undefined
}

export function lookupsOf(commits: Iterable<Commit>): Map<CollectionName, Lookup> {
  const lookups = new Map<CollectionName, Lookup>()
  for (const { writes } of commits) {
    for (const write of writes) {
      const { kind, tenant } = write
      const name = collectionOf(write)
      let lookup = lookups.get(name)
      if (!lookup) {
        lookup = { kind, tenant, ids: new Set(), uniques: new Set() }
        lookups.set(name, lookup)
      }
      // No document can stand at a fresh address, so there is no need to look.
      if (!(write.type === 'insert' && write.fresh)) lookup.ids.add(write.id)
      if ('uniques' in write) for (const unique of write.uniques) lookup.uniques.add(unique)
    }
  }
  return lookups
}

/**
 * Decides several commits in order, each against the stored state and the commits before it. A commit whose
 * conditions fail leaves no trace and does not affect the others.
 */
export class Decisions {
  /** The changes of all commits that succeeded, in order. */
  readonly changes: Change[] = []
  readonly #collections: ReadonlyMap<CollectionName, CollectionState>

  constructor(collections: ReadonlyMap<CollectionName, CollectionState>) {
    this.#collections = collections
  }

  decide({ writes, nowUs }: Commit): CommitResult {
    const undo: (() => void)[] = []
    const kept = this.changes.length
    const written: (Written | undefined)[] = []
    for (const [index, write] of writes.entries()) {
      const name = collectionOf(write)
      const collection = this.#collections.get(name)
      if (!collection) throw new Error('a commit was decided before its collections were read')
      const conflict = findConflict(collection, write)
      if (conflict) {
        for (const step of undo.reverse()) step()
        this.changes.length = kept
        return { ok: false, conflict: { write: index, ...conflict } }
      }
      written.push(this.#apply(name, collection, write, nowUs, undo))
    }
    return { ok: true, written }
  }

  #apply(
    name: CollectionName,
    { documents, holders, counters }: CollectionState,
    write: Write,
    nowUs: number,
    undo: (() => void)[],
  ): Written | undefined {
    if (write.type === 'expect') return undefined
    const before = documents.get(write.id)
    for (const unique of before?.uniques ?? []) put(holders, unique, undefined, undo)
    if (write.type === 'remove') {
      put(documents, write.id, undefined, undo)
      this.changes.push({ collection: name, write, before, after: undefined })
      return undefined
    }
    for (const unique of write.uniques) put(holders, unique, write.id, undo)
    const { nextOrdinal, lastUs, lastCreatedUs } = counters
    undo.push(() => Object.assign(counters, { nextOrdinal, lastUs, lastCreatedUs }))
    const written = write.type === 'restore' ? writtenBefore(write) : stamp(lastUs, before, nowUs)
    counters.lastUs = Math.max(lastUs, written.modifiedUs ?? written.createdUs)
    counters.lastCreatedUs = Math.max(lastCreatedUs, written.createdUs)
    const { version, createdUs, modifiedUs } = written
    const { dueMs, terms, uniques } = write
    const ordinal = before?.ordinal ?? counters.nextOrdinal++
    const after = { ordinal, version, createdUs, modifiedUs, dueMs, terms, uniques }
    put(documents, write.id, after, undo)
    this.changes.push({ collection: name, write, before, after })
    return written
  }
}

function findConflict(
  { documents, holders, counters }: CollectionState,
  write: Write,
): Omit<Conflict, 'write'> | undefined {
  const present = documents.get(write.id)
  if (
    write.type === 'insert' ||
    write.type === 'restore' ||
    (write.type === 'expect' && write.version === 0)
  ) {
    if (present) return { reason: 'exists' }
    if (write.type === 'restore' && write.createdUs <= counters.lastCreatedUs) return { reason: 'order' }
  } else {
    if (!present) return { reason: 'missing' }
    // Version 0 was cut off: its own uniques and index entries are not known, so that no write fits it.
    if (present.version === 0) return { reason: 'version' }
    if (write.version !== undefined && write.version !== present.version) return { reason: 'version' }
    const createdUs = write.type === 'expect' ? undefined : write.createdUs
    if (createdUs !== undefined && createdUs !== present.createdUs) return { reason: 'version' }
  }
  for (const unique of 'uniques' in write ? write.uniques : []) {
    const holder = holders.get(unique)
    if (holder !== undefined && holder !== write.id) return { reason: 'unique', holder }
  }
  return undefined
}

// Requirements: PAG-505
function stamp(lastUs: number, before: DocumentHeader | undefined, nowUs: number): Written {
  const stampUs = Math.max(nowUs, lastUs + 1)
  return before
    ? { version: before.version + 1, createdUs: before.createdUs, modifiedUs: stampUs }
    : { version: 1, createdUs: stampUs }
}

function writtenBefore({ version, createdUs, modifiedUs }: Written): Written {
  return modifiedUs === undefined ? { version, createdUs } : { version, createdUs, modifiedUs }
}

function put<Value>(
  map: Map<Digest, Value>,
  key: Digest,
  value: Value | undefined,
  undo: (() => void)[],
): void {
  const before = map.get(key)
  undo.push(() => setOrDelete(map, key, before))
  setOrDelete(map, key, value)
}

function setOrDelete<Value>(map: Map<Digest, Value>, key: Digest, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
