import type { Digest } from '../../port/port.ts'
import { type Block, decodeBlock, isEmpty, sizeOfBlock } from './bitmap.ts'
import type { Epoch } from './epoch.ts'
import { blockKey, blockOfKey, type CollectionKey, endOfKeys, termPrefix } from './keys.ts'

export type BlockMap = ReadonlyMap<number, Block>

/** The blocks of one term, as of the last published batch. */
export class CachedTerm {
  readonly collection: CollectionKey
  readonly term: Digest
  blocks = new Map<number, Block>()
  size = 200
  /** Searches that need it at the moment. It is kept while there are any. */
  holders = 0
  /** True if a search has the map, so that the next change needs a copy. */
  shared = false
  /** Resolves when its blocks were read. */
  loading: Promise<void> | undefined

  constructor(collection: CollectionKey, term: Digest) {
    this.collection = collection
    this.term = term
  }
}

/**
 * The search index in memory: whole terms, limited by bytes, least recently used ones dropped first. The writer
 * publishes changed blocks to it. Not a package for LRU caches, because terms in use must stay.
 */
export class TermCache {
  readonly #maxSize: number
  /** By collection, as the writer asks for many terms of one: a key made of both would have to be made for each. */
  readonly #terms = new Map<CollectionKey, Map<Digest, CachedTerm>>()
  // In order of use, least recent first.
  readonly #order = new Set<CachedTerm>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#size
  }

  /** Loads a term if it is not in memory, and keeps it until `letGo`. */
  hold(collection: CollectionKey, digest: Digest, epoch: Epoch): CachedTerm {
    const known = this.#find(collection, digest)
    const term = known ?? new CachedTerm(collection, digest)
    this.#order.delete(term)
    this.#order.add(term)
    if (!known) {
      const others = this.#terms.get(collection)
      if (others) others.set(digest, term)
      else this.#terms.set(collection, new Map([[digest, term]]))
      this.#size += term.size
      term.loading = this.#load(term, epoch.hold()).finally(() => epoch.release())
    }
    term.holders++
    return term
  }

  /** True if a term is in memory, and no document has it. */
  isEmpty(collection: CollectionKey, digest: Digest): boolean {
    const term = this.#find(collection, digest)
    return term !== undefined && !term.loading && term.blocks.size === 0
  }

  letGo(term: CachedTerm): void {
    term.holders--
    this.#trim()
  }

  /** Returns the blocks at this moment, without later changes. */
  capture(term: CachedTerm): BlockMap {
    term.shared = true
    return term.blocks
  }

  /** Returns a block for the writer; `undefined` where it has to be read. */
  peek(collection: CollectionKey, digest: Digest, block: number): Block | undefined {
    const term = this.#find(collection, digest)
    if (!term || term.loading) return undefined
    return term.blocks.get(block) ?? []
  }

  /** Sets a changed block, in the same synchronous step in which the epoch changes. */
  publish(collection: CollectionKey, digest: Digest, block: number, image: Block): void {
    const term = this.#find(collection, digest)
    if (!term) return
    if (term.shared) {
      term.blocks = new Map(term.blocks)
      term.shared = false
    }
    const before = term.blocks.get(block)
    // While the term is being loaded, an empty block must override the block that is read.
    if (isEmpty(image) && !term.loading) term.blocks.delete(block)
    else term.blocks.set(block, image)
    this.#grow(term, sizeOfBlock(image) - (before ? sizeOfBlock(before) : 0))
  }

  async #load(term: CachedTerm, epoch: Epoch): Promise<void> {
    try {
      const blocks = new Map<number, Block>()
      const prefix = termPrefix(term.collection, term.term)
      const range = { gte: blockKey(prefix, 0), lt: prefix + endOfKeys }
      for await (const entries of epoch.entries(range, 1000)) {
        for (const [key, value] of entries) blocks.set(blockOfKey(key), decodeBlock(value))
      }
      // Blocks that the writer published in the meantime are newer.
      for (const [block, image] of term.blocks) {
        if (isEmpty(image)) blocks.delete(block)
        else blocks.set(block, image)
      }
      term.blocks = blocks
      term.loading = undefined
      let size = 200
      for (const image of blocks.values()) size += sizeOfBlock(image)
      this.#grow(term, size - term.size)
    } catch (error) {
      this.#drop(term)
      throw error
    }
  }

  #find(collection: CollectionKey, digest: Digest): CachedTerm | undefined {
    return this.#terms.get(collection)?.get(digest)
  }

  #grow(term: CachedTerm, by: number): void {
    if (!this.#order.has(term)) return
    term.size += by
    this.#size += by
  }

  #drop(term: CachedTerm): void {
    if (!this.#order.delete(term)) return
    const others = this.#terms.get(term.collection)
    others?.delete(term.term)
    if (others?.size === 0) this.#terms.delete(term.collection)
    this.#size -= term.size
  }

  #trim(): void {
    if (this.#size <= this.#maxSize) return
    for (const term of this.#order) {
      if (term.holders > 0) continue
      this.#drop(term)
      if (this.#size <= this.#maxSize) return
    }
  }
}
