import type { Digest } from '../../port.ts'
import type { Block } from './bitmap.ts'
import type { CollectionKey } from './keys.ts'

/** The newest block of a collection, over all terms: where every insert goes. */
interface Head {
  readonly block: number
  /** Every term of the block is known: it was begun by this process. */
  readonly complete: boolean
  readonly blocks: Map<Digest, Block>
}

const nothing: Block = []
const mostBlocks = 400_000

/**
 * The writer's memory of the block each collection is filling. Most terms of a new token are new themselves;
 * without this, every insert would ask LevelDB for blocks that are not there.
 */
export class HeadBlocks {
  // In order of use, the oldest first.
  readonly #heads = new Map<CollectionKey, Head>()
  #size = 0

  /** Called before a group's first touch of a block; `begun` when that is the block's very first insert. */
  enter(collection: CollectionKey, block: number, begun: boolean): void {
    const head = this.#heads.get(collection)
    if (head && head.block > block) return
    this.#heads.delete(collection)
    if (head?.block === block) {
      this.#heads.set(collection, head)
    } else {
      this.#size -= head?.blocks.size ?? 0
      this.#heads.set(collection, { block, complete: begun, blocks: new Map() })
    }
    this.#trim()
  }

  /** Undefined where only the disk knows. */
  get(collection: CollectionKey, block: number, term: Digest): Block | undefined {
    const head = this.#heads.get(collection)
    if (head?.block !== block) return undefined
    return head.blocks.get(term) ?? (head.complete ? nothing : undefined)
  }

  set(collection: CollectionKey, block: number, term: Digest, image: Block): void {
    const head = this.#heads.get(collection)
    if (head?.block !== block) return
    const { size } = head.blocks
    head.blocks.set(term, image)
    this.#size += head.blocks.size - size
  }

  clear(): void {
    this.#heads.clear()
    this.#size = 0
  }

  /** Forgetting costs reads, nothing else: all of it is on disk. */
  #trim(): void {
    for (const [collection, head] of this.#heads) {
      if (this.#size <= mostBlocks) return
      this.#heads.delete(collection)
      this.#size -= head.blocks.size
    }
  }
}
