import { checkTime, checkWritten } from '../../port.checks.ts'
import type { CommitResult, Conflict, Digest, Write, Written } from '../../port.ts'
import {
  agendaKey,
  anchorKey,
  blockSize,
  type CollectionKey,
  collectionKey,
  counterKey,
  documentKey,
  dueKey,
  garbageKey,
  modifiedKey,
  ordinalKey,
  uniqueKey,
} from './keys.ts'
import {
  type Counters,
  cutOffVersion,
  decodeCounters,
  decodeHeader,
  digestLength,
  encodeCounters,
  encodeDocument,
  encodePlace,
  type Header,
  mostDigests,
  noCounters,
} from './record.ts'

/** What the writer keeps of a collection between groups. */
export interface CollectionState extends Counters {
  /** The compaction round in which the collection was last marked. */
  garbageRound: number
}

/** A document before and after one write; an ordinal belongs to one document for ever. */
export interface Change {
  readonly collection: CollectionKey
  /** The key of the document. */
  readonly document: string
  readonly id: Digest
  readonly before: Header | undefined
  readonly after: Header | undefined
  readonly box: Uint8Array | undefined
}

/** Receives the group's mutations; LevelDB applies a batch in order, so a later one of a key wins. */
export interface Mutations {
  put(key: string, value: Buffer): unknown
  del(key: string): unknown
}

/** A write with the keys it is about, worked out once. */
export interface KeyedWrite {
  readonly write: Write
  readonly collection: CollectionKey
  readonly document: string
  readonly uniques: readonly string[]
}

const noValue = Buffer.alloc(0)
const noKeys: readonly string[] = []

/**
 * Several commits decided one after the other against what is stored and what the commits before them in
 * the group did. A commit that fails its conditions leaves no trace and does not touch the others.
 */
export class WriteGroup {
  readonly changes: Change[] = []
  readonly #collections: Map<CollectionKey, CollectionState>
  readonly #documents = new Map<string, Header | undefined>()
  readonly #holders = new Map<string, Digest | undefined>()

  constructor(collections: Map<CollectionKey, CollectionState>) {
    this.#collections = collections
  }

  /** Reads all that the conditions ask for, in one go. */
  async read(
    commits: Iterable<readonly KeyedWrite[]>,
    read: (keys: string[]) => (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>,
  ): Promise<void> {
    const documents = new Set<string>()
    const uniques = new Set<string>()
    const unknown = new Set<CollectionKey>()
    for (const commit of commits) {
      for (const keyed of commit) {
        if (!isVouchedFor(keyed.write)) documents.add(keyed.document)
        for (const key of keyed.uniques) uniques.add(key)
        if (!this.#collections.has(keyed.collection)) unknown.add(keyed.collection)
      }
    }
    const reading = read([...documents, ...uniques, ...[...unknown].map(counterKey)])
    const values = reading instanceof Promise ? await reading : reading
    let at = 0
    for (const key of documents) {
      const value = values[at++]
      this.#documents.set(key, value && decodeHeader(value))
    }
    for (const key of uniques) this.#holders.set(key, values[at++]?.toString('latin1') as Digest | undefined)
    for (const collection of unknown) {
      const value = values[at++]
      const counters = value ? decodeCounters(value) : noCounters
      this.#collections.set(collection, { ...counters, garbageRound: -1 })
    }
  }

  decide(commit: readonly KeyedWrite[], nowUs: number): CommitResult {
    const undo: (() => void)[] = []
    const kept = this.changes.length
    const written: (Written | undefined)[] = []
    for (const [index, keyed] of commit.entries()) {
      const conflict = this.#findConflict(keyed)
      if (conflict) {
        for (const step of undo.reverse()) step()
        this.changes.length = kept
        return { ok: false, conflict: { write: index, ...conflict } }
      }
      written.push(this.#apply(keyed, nowUs, undo))
    }
    return { ok: true, written }
  }

  #findConflict(keyed: KeyedWrite): Omit<Conflict, 'write'> | undefined {
    const { write, collection, document, uniques } = keyed
    const present = this.#documents.get(document)
    if (write.type === 'restore') {
      if (present) return { reason: 'exists' }
      // Ordinals are given in the order of the stamps, or a range of times would not be one of ordinals.
      if (write.createdUs <= this.#state(collection).lastCreatedUs) return { reason: 'order' }
    } else if (write.type === 'insert' || (write.type === 'expect' && write.version === 0)) {
      if (present) return { reason: 'exists' }
    } else {
      if (!present) return { reason: 'missing' }
      // Which index entries are its own is not known any more.
      if (present.version === cutOffVersion) return { reason: 'version' }
      if (write.version !== undefined && write.version !== present.version) return { reason: 'version' }
    }
    for (const key of uniques) {
      const holder = this.#holders.get(key)
      if (holder !== undefined && holder !== write.id) return { reason: 'unique', holder }
    }
    return undefined
  }

  #apply(keyed: KeyedWrite, nowUs: number, undo: (() => void)[]): Written | undefined {
    const { write, collection, document } = keyed
    if (write.type === 'expect') return undefined
    const before = this.#documents.get(document)
    undo.push(() => this.#documents.set(document, before))
    for (const unique of before?.uniques ?? []) this.#hold(uniqueKey(collection, unique), undefined, undo)
    if (write.type === 'remove') {
      this.#documents.set(document, undefined)
      this.changes.push({ collection, document, id: write.id, before, after: undefined, box: undefined })
      return undefined
    }
    for (const key of keyed.uniques) this.#hold(key, write.id, undo)
    const state = this.#state(collection)
    const { nextOrdinal, lastUs, lastCreatedUs } = state
    undo.push(() => Object.assign(state, { nextOrdinal, lastUs, lastCreatedUs }))
    const written = write.type === 'restore' ? write : stamp(state, before, nowUs)
    const { version, createdUs, modifiedUs } = written
    state.lastUs = Math.max(lastUs, modifiedUs ?? createdUs)
    state.lastCreatedUs = Math.max(lastCreatedUs, createdUs)
    const ordinal = before?.ordinal ?? state.nextOrdinal++
    const { dueMs, terms, uniques, box } = write
    const after: Header = { ordinal, version, createdUs, modifiedUs, dueMs, terms, uniques }
    this.#documents.set(document, after)
    this.changes.push({ collection, document, id: write.id, before, after, box })
    return modifiedUs === undefined ? { version, createdUs } : { version, createdUs, modifiedUs }
  }

  #hold(key: string, holder: Digest | undefined, undo: (() => void)[]): void {
    const before = this.#holders.get(key)
    undo.push(() => this.#holders.set(key, before))
    this.#holders.set(key, holder)
  }

  #state(collection: CollectionKey): CollectionState {
    const state = this.#collections.get(collection)
    if (!state) throw new Error('the counters of a collection were not read')
    return state
  }

  /** All of the group but the blocks of the index. */
  encode(mutations: Mutations, garbageRound: number): void {
    const touched = new Set<CollectionKey>()
    for (const change of this.changes) {
      touched.add(change.collection)
      encodeChange(change, mutations)
      const state = this.#state(change.collection)
      if (change.before && state.garbageRound !== garbageRound) {
        state.garbageRound = garbageRound
        mutations.put(garbageKey(garbageRound, change.collection), noValue)
      }
    }
    for (const collection of touched) {
      mutations.put(counterKey(collection), encodeCounters(this.#state(collection)))
    }
  }
}

// Requirements: PAG-505
function stamp({ lastUs }: Counters, before: Header | undefined, nowUs: number): Written {
  const stampUs = Math.max(nowUs, lastUs + 1)
  return before
    ? { version: before.version + 1, createdUs: before.createdUs, modifiedUs: stampUs }
    : { version: 1, createdUs: stampUs }
}

/** Whether nothing can stand at its address, so that looking there would be a read in vain. */
function isVouchedFor(write: Write): boolean {
  return write.type === 'insert' && write.fresh === true
}

/** Refuses what no engine could store, before it can disturb the commits of others. */
export function keyWrite(write: Write): KeyedWrite {
  const collection = collectionKey(write.kind, write.tenant)
  checkDigests([write.id])
  if (write.type === 'insert' || write.type === 'replace' || write.type === 'restore') {
    checkDigests(write.terms)
    checkDigests(write.uniques)
    if (write.dueMs !== undefined) checkTime(write.dueMs)
  }
  if (write.type === 'restore') checkWritten(write)
  const uniques =
    'uniques' in write && write.uniques.length > 0
      ? write.uniques.map(unique => uniqueKey(collection, unique))
      : noKeys
  return { write, collection, document: documentKey(collection, write.id), uniques }
}

function checkDigests(digests: readonly Digest[]): void {
  if (digests.length > mostDigests) throw new RangeError(`a document has at most ${mostDigests} terms`)
  for (const { length } of digests) {
    if (length !== digestLength) throw new TypeError(`a digest has ${digestLength} characters`)
  }
}

/** All that a change of one document writes, but for the blocks of the index. */
export function encodeChange(change: Change, mutations: Mutations): void {
  const { collection, document, id, before, after, box } = change
  if (after && box) mutations.put(document, encodeDocument(after, box))
  else mutations.del(document)
  encodePlaceChange(collection, id, before, after, mutations)
  for (const unique of before?.uniques ?? []) {
    if (!after?.uniques.includes(unique)) mutations.del(uniqueKey(collection, unique))
  }
  for (const unique of after?.uniques ?? []) {
    if (!before?.uniques.includes(unique))
      mutations.put(uniqueKey(collection, unique), Buffer.from(id, 'latin1'))
  }
  encodeDueChange(collection, id, before, after, mutations)
  if (before?.modifiedUs !== undefined)
    mutations.del(modifiedKey(collection, before.modifiedUs, before.ordinal))
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
