import type { Digest } from '../../port/port.ts'
import type { Block } from './bitmap.ts'
import type { CollectionKey } from './keys.ts'

/** The newest block of a collection, which all inserts go to, by term. */
export interface Head {
  readonly block: number
  /** True if this process began the block, so that all of its terms are here. */
  readonly complete: boolean
  readonly blocks: Map<Digest, Block>
}

const nothing: Block = []
const mostBlocks = 400_000

/** Returns the block of a term at a head; `undefined` where it has to be read. */
export function blockAt(head: Head, term: Digest): Block | undefined {
  return head.blocks.get(term) ?? (head.complete ? nothing : undefined)
}

/**
 * The writer's cache of the block that each collection is filling. Most terms of a new token are new, and without
 * this cache every insert would ask LevelDB for blocks that do not exist.
 */
export class HeadBlocks {
  // In order of use, the oldest first.
  readonly #heads = new Map<CollectionKey, Head>()
  #size = 0

  /** Called before a group changes a block; `begun` for the first insert into the block. */
  enter(collection: CollectionKey, block: number, begun: boolean): void {
    const head = this.#heads.get(collection)
    if (head && head.block > block) return
    this.#heads.delete(collection)
    const isNew = head?.block !== block
    if (isNew) this.#size -= head?.blocks.size ?? 0
    this.#heads.set(collection, isNew ? { block, complete: begun, blocks: new Map() } : head)
    this.#trim()
  }

  /** Returns the head of a collection if it is this block. */
  at(collection: CollectionKey, block: number): Head | undefined {
    const head = this.#heads.get(collection)
    return head?.block === block ? head : undefined
  }

  /** Sets the changed blocks of a head that `at` has just returned. */
  set(head: Head, changed: Iterable<{ readonly term: Digest; readonly image: Block }>): void {
    const { size } = head.blocks
    for (const { term, image } of changed) head.blocks.set(term, image)
    this.#size += head.blocks.size - size
  }

  clear(): void {
    this.#heads.clear()
    this.#size = 0
  }

  #trim(): void {
    for (const [collection, head] of this.#heads) {
      if (this.#size <= mostBlocks) return
      this.#heads.delete(collection)
      this.#size -= head.blocks.size
    }
  }
}
