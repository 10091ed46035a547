import { type Block, type Blocks, decodeBlock } from '../../index/bits.ts'
import type { NewBlocks } from '../../index/edits.ts'
import type { CollectionName } from '../../port/collection.ts'
import type { Digest } from '../../port/port.ts'
import type { Epoch } from './epoch.ts'
import { blockKey, blockOfKey, endOfKeys, termPrefix } from './keys.ts'

interface CachedTerm {
  blocks: Map<number, Block>
  /** True if a search has the map, so that the next change needs a copy. */
  isShared: boolean
}

/** Approximate memory of a cached block, and of a cached term. */
const blockBytes = 700
const termBytes = 200

/** Blocks of the index in memory, as the present epoch has them. */
export class TermCache {
  readonly #mostBytes: number
  /** The changes since each load that is in progress began. */
  readonly #loads = new Set<NewBlocks[]>()
  #terms = new Map<CollectionName, Map<Digest, CachedTerm>>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** To be called in the step that publishes the epoch that has these blocks. */
  publish(blocks: readonly NewBlocks[]): void {
    for (const change of blocks) {
      const terms = this.#terms.get(change.collection)
      if (!terms) continue
      for (const term of change.images.keys()) {
        const cached = terms.get(term)
        if (cached) this.#apply(cached, change, term)
      }
    }
    for (const late of this.#loads) late.push(...blocks)
  }

  reset(): void {
    this.#forgetTerms()
    this.#loads.clear()
  }

  /** Returns the blocks of terms at the present epoch, which the caller holds. What is in memory is taken at once. */
  async blocks(
    epoch: Epoch,
    collection: CollectionName,
    terms: ReadonlySet<Digest>,
  ): Promise<Map<Digest, Blocks>> {
    const known = this.#terms.get(collection)
    const found = new Map<Digest, Blocks>()
    const missing: Promise<unknown>[] = []
    for (const term of terms) {
      const cached = known?.get(term)
      if (cached) {
        cached.isShared = true
        found.set(term, cached.blocks)
      } else missing.push(this.#load(epoch, collection, term).then(blocks => found.set(term, blocks)))
    }
    if (missing.length > 0) await Promise.all(missing)
    return found
  }

  async #load(epoch: Epoch, collection: CollectionName, term: Digest): Promise<Blocks> {
    const late: NewBlocks[] = []
    this.#loads.add(late)
    try {
      const blocks = new Map<number, Block>()
      const prefix = termPrefix(collection, term)
      for await (const entries of epoch.entries({ gte: blockKey(prefix, 0), lt: prefix + endOfKeys })) {
        for (const [key, value] of entries) blocks.set(blockOfKey(key), decodeBlock(value))
      }
      if (this.#loads.has(late)) this.#keep(collection, term, blocks, late)
      return blocks
    } finally {
      this.#loads.delete(late)
    }
  }

  /** @param late the changes of any term since the blocks were read */
  #keep(
    collection: CollectionName,
    term: Digest,
    blocks: Map<number, Block>,
    late: readonly NewBlocks[],
  ): void {
    const bytes = termBytes + blocks.size * blockBytes
    // Searches in progress have what they need.
    if (this.#bytes + bytes > this.#mostBytes) this.#forgetTerms()
    this.#bytes += bytes
    const cached = { blocks, isShared: true }
    for (const change of late) {
      if (change.collection === collection && change.images.has(term)) this.#apply(cached, change, term)
    }
    const terms = this.#terms.get(collection) ?? new Map<Digest, CachedTerm>()
    this.#terms.set(collection, terms.set(term, cached))
  }

  #forgetTerms(): void {
    this.#terms = new Map()
    this.#bytes = 0
  }

  #apply(cached: CachedTerm, { block, images }: NewBlocks, term: Digest): void {
    if (cached.isShared) cached.blocks = new Map(cached.blocks)
    cached.isShared = false
    const image = images.get(term)
    if (image && !cached.blocks.has(block)) this.#bytes += blockBytes
    if (image) cached.blocks.set(block, image)
    else cached.blocks.delete(block)
  }
}
