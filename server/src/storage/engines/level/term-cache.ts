import { type Block, decodeBlock, isEmpty, sizeOfBlock } from './bitmap.ts'
import type { Epoch } from './epoch.ts'
import { blockKey, blockOfKey, endOfKeys } from './keys.ts'

export type BlockMap = ReadonlyMap<number, Block>

/** The blocks of one term, as of the last published batch. */
export class CachedTerm {
  readonly prefix: string
  blocks = new Map<number, Block>()
  size = 200
  /** Searches that need it at the moment. It is kept while there are any. */
  holders = 0
  /** True if a search has the map, so that the next change needs a copy. */
  shared = false
  /** Resolves when its blocks were read. */
  loading: Promise<void> | undefined

  constructor(prefix: string) {
    this.prefix = prefix
  }
}

/**
 * The search index in memory: whole terms, limited by bytes, least recently used ones dropped first. The writer
 * publishes changed blocks to it. Not a package for LRU caches, because terms in use must stay.
 */
export class TermCache {
  readonly #maxSize: number
  // In order of use, least recent first.
  readonly #terms = new Map<string, CachedTerm>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#size
  }

  /** Loads a term if it is not in memory, and keeps it until `letGo`. */
  hold(prefix: string, epoch: Epoch): CachedTerm {
    const known = this.#terms.get(prefix)
    const term = known ?? new CachedTerm(prefix)
    this.#terms.delete(prefix)
    this.#terms.set(prefix, term)
    if (!known) {
      this.#size += term.size
      term.loading = this.#load(term, epoch.hold()).finally(() => epoch.release())
    }
    term.holders++
    return term
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
  peek(prefix: string, block: number): Block | undefined {
    const term = this.#terms.get(prefix)
    if (!term || term.loading) return undefined
    return term.blocks.get(block) ?? []
  }

  /** Sets a changed block, in the same synchronous step in which the epoch changes. */
  publish(prefix: string, block: number, image: Block): void {
    const term = this.#terms.get(prefix)
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
      const range = { gte: blockKey(term.prefix, 0), lt: term.prefix + endOfKeys }
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

  #grow(term: CachedTerm, by: number): void {
    if (this.#terms.get(term.prefix) !== term) return
    term.size += by
    this.#size += by
  }

  #drop(term: CachedTerm): void {
    if (this.#terms.get(term.prefix) !== term) return
    this.#terms.delete(term.prefix)
    this.#size -= term.size
  }

  #trim(): void {
    if (this.#size <= this.#maxSize) return
    for (const term of this.#terms.values()) {
      if (term.holders > 0) continue
      this.#drop(term)
      if (this.#size <= this.#maxSize) return
    }
  }
}
