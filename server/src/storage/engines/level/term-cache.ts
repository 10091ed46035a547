import { type Block, decodeBlock, isEmpty, sizeOfBlock } from './bitmap.ts'
import type { Epoch } from './epoch.ts'
import { blockKey, blockOfKey, endOfKeys } from './keys.ts'

export type BlockMap = ReadonlyMap<number, Block>

/** All blocks of one term, as of the last published batch. */
class CachedTerm {
  readonly prefix: string
  blocks = new Map<number, Block>()
  size = 200
  /** Searches under way that rely on it; while there are any it is kept, whatever the limit says. */
  holders = 0
  /** The map was handed out: the next change goes to a copy. */
  shared = false
  loading: Promise<void> | undefined

  constructor(prefix: string) {
    this.prefix = prefix
  }
}

export type HeldTerm = Pick<CachedTerm, 'prefix'>

/**
 * The search index in memory: whole terms, least recently used ones dropped first, limited by bytes, as most
 * terms of a token are its own and asked for once. The writer publishes changed blocks into it.
 */
export class TermCache {
  readonly #maxSize: number
  // In order of use, the oldest first.
  readonly #terms = new Map<string, CachedTerm>()
  #size = 0

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#size
  }

  /** Makes sure a term is here, and stays until it is let go. A promise only where it has to be read. */
  hold(prefix: string, epoch: Epoch): HeldTerm | Promise<HeldTerm> {
    let term = this.#terms.get(prefix)
    if (term) {
      this.#terms.delete(prefix)
      this.#terms.set(prefix, term)
      term.holders++
      if (!term.loading) return term
    } else {
      term = new CachedTerm(prefix)
      term.holders++
      this.#terms.set(prefix, term)
      this.#size += term.size
      term.loading = this.#load(term, epoch.hold()).finally(() => epoch.release())
    }
    const held = term
    return held.loading?.then(() => held) ?? held
  }

  letGo(held: HeldTerm): void {
    const term = held as CachedTerm
    term.holders--
    this.#trim()
  }

  /** The blocks as they are at this moment; what is published later does not show in them. */
  capture(held: HeldTerm): BlockMap {
    const term = held as CachedTerm
    term.shared = true
    return term.blocks
  }

  /** A block for the writer, `undefined` where the term is not here and the block has to be read. */
  peek(prefix: string, block: number): Block | undefined {
    const term = this.#terms.get(prefix)
    if (!term || term.loading) return undefined
    return term.blocks.get(block) ?? []
  }

  /** Puts a changed block in place, in the same synchronous step in which the epoch changes. */
  publish(prefix: string, block: number, image: Block): void {
    const term = this.#terms.get(prefix)
    if (!term) return
    if (term.shared) {
      term.blocks = new Map(term.blocks)
      term.shared = false
    }
    const before = term.blocks.get(block)
    // While the term is being read, an emptied block must stand against what the read will bring.
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
      // What the writer published in the meantime is newer than what was read.
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
