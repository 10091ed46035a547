import { LRUCache } from 'lru-cache'
import type { CollectionName } from '../port/collection.ts'
import {
  type Change,
  type CollectionState,
  type Commit,
  type Counters,
  Decisions,
  type DocumentHeader,
  type Lookup,
  lookupsOf,
} from '../port/decide.ts'
import type { CommitResult, Digest } from '../port/port.ts'
import { type Block, blockSize, changed } from './bits.ts'
import { liveTerm } from './search.ts'

/** All that a group of commits changes for the same 4096 documents: see `changed` for the numbers. */
interface Edits {
  readonly collection: CollectionName
  readonly block: number
  readonly terms: Map<Digest, number[]>
}

/** The blocks after such changes; `undefined` where one is empty. */
export interface NewBlocks {
  readonly collection: CollectionName
  readonly block: number
  readonly images: ReadonlyMap<Digest, Block | undefined>
  /** The terms that had no block before. */
  readonly added: ReadonlySet<Digest>
}

type IndexChange = Pick<Change, 'collection' | 'before' | 'after'>

export function editsOf(changes: readonly IndexChange[]): Edits[] {
  const places = new Map<string, Edits>()
  for (const { collection, before, after } of changes) {
    const { ordinal } = (after ?? before) as DocumentHeader
    const offset = ordinal % blockSize
    const block = (ordinal - offset) / blockSize
    const name = collection + block
    const place = places.get(name) ?? { collection, block, terms: new Map() }
    places.set(name, place)
    const add = (term: Digest, change: number) => {
      const own = place.terms.get(term)
      if (own) own.push(change)
      else place.terms.set(term, [change])
    }
    if (!before || !after) add(liveTerm, after ? offset : ~offset)
    for (const term of without(before, after)) add(term, ~offset)
    for (const term of without(after, before)) add(term, offset)
  }
  return [...places.values()]
}

function without(one: DocumentHeader | undefined, other: DocumentHeader | undefined): readonly Digest[] {
  if (!one || !other) return one?.terms ?? []
  const known = new Set(other.terms)
  return one.terms.filter(term => !known.has(term))
}

/** The block that a collection is filling, by term. */
interface Head {
  readonly block: number
  /** The state of the collection that the blocks are of. */
  readonly state: number
  /** The first ordinal whose document is not in the blocks. */
  readonly nextOrdinal: number
  /** True if another process has added documents. */
  readonly isShared: boolean
  /** True if this process began the block, so that a term that is not here is in no document of it. */
  readonly isWhole: boolean
  readonly blocks: Map<Digest, Block>
}

/** A collection before and after a group of commits. */
type Progress = Pick<Counters, 'fromOrdinal' | 'nextOrdinal' | 'state'>

type Collections<State extends CollectionState> = ReadonlyMap<CollectionName, State>

/** How an engine reads and writes for a group of commits. */
interface GroupStore<State extends CollectionState> {
  /** Reads all that the conditions ask for. */
  read(lookups: ReadonlyMap<CollectionName, Lookup>): Promise<Collections<State>>
  /** Completes what is known of blocks with what is missing. */
  readBlocks(recalled: readonly Recalled[], collections: Collections<State>): Promise<unknown>
  write(
    changes: readonly Change[],
    blocks: readonly NewBlocks[],
    collections: Collections<State>,
  ): Promise<void>
}

/** Decides commits, and writes what they change together with the index. */
export async function writeGroup<State extends CollectionState>(
  commits: readonly Commit[],
  heads: Heads,
  store: GroupStore<State>,
): Promise<CommitResult[]> {
  const collections = await store.read(lookupsOf(commits))
  const countersOf = (name: CollectionName) => (collections.get(name) as State).counters
  const decisions = new Decisions(collections)
  const results = commits.map(commit => decisions.decide(commit))
  const { changes } = decisions
  const progress = new Map<CollectionName, Progress>()
  for (const { collection } of changes) progress.set(collection, { ...countersOf(collection) })
  const recalled = editsOf(changes).map(edit => heads.recall(edit, countersOf(edit.collection)))
  const incomplete = recalled.filter(({ missing }) => missing.length > 0)
  if (incomplete.length > 0) await store.readBlocks(incomplete, collections)
  const blocks = recalled.map(({ edit, known }) => imagesOf(edit, known))
  for (const { collection, before } of changes) {
    const counters = countersOf(collection)
    if (before && before.ordinal < counters.fromOrdinal) counters.state++
  }
  await store.write(changes, blocks, collections)
  for (const [name, was] of progress) heads.keep(name, blocks, was, countersOf(name).state)
  return results
}

/** A block that a group changes, as far as it is in memory. */
export interface Recalled {
  readonly edit: Edits
  readonly known: Map<Digest, Block>
  /** Terms whose block has to be read. */
  readonly missing: readonly Digest[]
}

/** Terms kept, of all collections. */
const mostTerms = 200_000

const empty: Block = []

/**
 * Keeps the blocks that collections are filling in memory. Most terms of a new document are new, and need not be looked
 * up.
 */
export class Heads {
  readonly #heads = new LRUCache<CollectionName, Head>({
    maxSize: mostTerms,
    sizeCalculation: ({ blocks }) => 1 + blocks.size,
  })

  recall(edit: Edits, progress: Progress): Recalled {
    const { collection, block, terms } = edit
    const head = this.#of(collection, block, progress)
    const isWhole = head?.isWhole ?? isBegun(block, progress)
    const known = new Map<Digest, Block>()
    const missing: Digest[] = []
    for (const term of terms.keys()) {
      const image = head?.blocks.get(term)
      if (image) known.set(term, image)
      else if (!isWhole) missing.push(term)
    }
    return { edit, known, missing }
  }

  /** Returns the first ordinal to read what other processes have added from; `undefined` if that is not needed. */
  unread(collection: CollectionName): number | undefined {
    const head = this.#heads.peek(collection)
    return head?.isShared ? head.nextOrdinal : undefined
  }

  /** Keeps up with other processes. @param added all documents from `unread` to the last one of the collection */
  follow(
    collection: CollectionName,
    added: readonly DocumentHeader[],
    { nextOrdinal, state }: Progress,
  ): void {
    const fromOrdinal = this.unread(collection)
    if (fromOrdinal === undefined || fromOrdinal === nextOrdinal) return
    const progress = { fromOrdinal, nextOrdinal, state }
    const written = editsOf(added.map(after => ({ collection, before: undefined, after }))).map(edit => {
      const { known, missing } = this.recall(edit, progress)
      for (const term of missing) edit.terms.delete(term)
      return imagesOf(edit, known)
    })
    this.keep(collection, written, progress, state)
  }

  /** Keeps the blocks that a group has written. @param state the number of the collection after it */
  keep(collection: CollectionName, written: readonly NewBlocks[], progress: Progress, state: number): void {
    const block = Math.floor((progress.nextOrdinal - 1) / blockSize)
    const head = this.#of(collection, block, progress)
    const own = written.find(one => one.collection === collection && one.block === block)
    if (!head && !own) return
    const isWhole = head?.isWhole ?? isBegun(block, progress)
    const blocks = head?.blocks ?? new Map<Digest, Block>()
    const last = this.#heads.peek(collection)
    const isShared = last !== undefined && (last.isShared || last.nextOrdinal !== progress.fromOrdinal)
    const { nextOrdinal } = progress
    for (const [term, image = empty] of own?.images ?? []) blocks.set(term, image)
    // Set each time, as its size may have changed.
    this.#heads.set(collection, { block, state, nextOrdinal, isShared, isWhole, blocks })
  }

  clear(): void {
    this.#heads.clear()
  }

  #of(collection: CollectionName, block: number, { state, fromOrdinal }: Progress): Head | undefined {
    const head = this.#heads.peek(collection)
    const isOf = head?.block === block && head.state === state && head.nextOrdinal === fromOrdinal
    return isOf ? head : undefined
  }
}

/** True if the first document of the block is one of the group. */
const isBegun = (block: number, { fromOrdinal }: Progress) => fromOrdinal <= block * blockSize

/** Returns the blocks after edits. */
export function imagesOf({ collection, block, terms }: Edits, known: ReadonlyMap<Digest, Block>): NewBlocks {
  const images = new Map<Digest, Block | undefined>()
  const added = new Set<Digest>()
  for (const [term, changes] of terms) {
    const before = known.get(term)
    if (!before?.length) added.add(term)
    images.set(term, changed(before, changes))
  }
  return { collection, block, images, added }
}
