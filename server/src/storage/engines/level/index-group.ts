import type { Digest } from '../../port/port.ts'
import {
  addOffset,
  blockAt,
  copyBlock,
  decodeBlock,
  encodeBlock,
  type Head,
  type HeadBlocks,
  type OwnBlock,
  removeOffset,
} from './bitmap.ts'
import type { Change, Mutations } from './changes.ts'
import { blockKey, blockSize, type CollectionKey, liveTerm, termPrefix } from './keys.ts'
import type { PublishedBlock } from './published-state.ts'
import type { Header } from './record.ts'
import type { TermCache } from './term-cache.ts'

/** A block of one term that the group changes. */
interface TouchedBlock extends PublishedBlock {
  image: OwnBlock
}

/** The blocks of all terms for the same documents of a collection. */
interface BlockPlace {
  readonly collection: CollectionKey
  readonly block: number
  readonly head: Head | undefined
  readonly touched: Map<Digest, TouchedBlock>
}

const removing = blockSize

type Terms = Pick<Header, 'terms'>
const none: Terms = { terms: [] }

/** The index changes of a group: each block is copied, changed in memory and written once for all documents. */
export class IndexGroup {
  readonly touched: TouchedBlock[] = []
  readonly #places = new Map<CollectionKey, Map<number, BlockPlace>>()
  readonly #missing: TouchedBlock[] = []
  // One entry per bit to change: the block, and the offset plus `removing` or 0.
  readonly #targets: TouchedBlock[] = []
  readonly #offsets: number[] = []
  readonly #heads: HeadBlocks
  readonly #terms: TermCache

  constructor(changes: readonly Change[], heads: HeadBlocks, terms: TermCache) {
    this.#heads = heads
    this.#terms = terms
    for (const { collection, before, after } of changes) {
      const { ordinal } = (after ?? before) as Header
      const offset = ordinal % blockSize
      const block = (ordinal - offset) / blockSize
      if (!before) this.#heads.enter(collection, block, offset === 0)
      const place = this.#placeOf(collection, block)
      if (!before || !after) this.#change(place, liveTerm, offset + (after ? 0 : removing))
      for (const term of without(before, after)) this.#change(place, term, offset + removing)
      for (const term of without(after, before)) this.#change(place, term, offset)
    }
  }

  /** Reads the blocks that are in neither cache, and changes all blocks in memory. */
  async apply(read: (keys: string[]) => (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>) {
    if (this.#missing.length > 0) {
      const values = await read(this.#missing.map(keyOf))
      for (const [index, touched] of this.#missing.entries()) {
        const value = values[index]
        if (value) touched.image = copyBlock(decodeBlock(value))
      }
    }
    for (let index = 0; index < this.#targets.length; index++) {
      const target = this.#targets[index] as TouchedBlock
      const offset = this.#offsets[index] ?? 0
      if (offset < removing) target.image = addOffset(target.image, offset)
      else removeOffset(target.image, offset - removing)
    }
  }

  encode(mutations: Mutations): void {
    for (const touched of this.touched) {
      const value = encodeBlock(touched.image)
      if (value) mutations.put(keyOf(touched), value)
      else mutations.del(keyOf(touched))
    }
  }

  /** Hands the images to the next groups. They do not change any more. */
  publish(): void {
    for (const blocks of this.#places.values()) {
      for (const { collection, block, touched } of blocks.values()) {
        const head = this.#heads.at(collection, block)
        if (head) this.#heads.set(head, touched.values())
      }
    }
  }

  #placeOf(collection: CollectionKey, block: number): BlockPlace {
    let blocks = this.#places.get(collection)
    if (!blocks) {
      blocks = new Map()
      this.#places.set(collection, blocks)
    }
    let place = blocks.get(block)
    if (!place) {
      place = { collection, block, head: this.#heads.at(collection, block), touched: new Map() }
      blocks.set(block, place)
    }
    return place
  }

  /** @param offset plus `removing`, to remove it */
  #change(place: BlockPlace, term: Digest, offset: number): void {
    this.#targets.push(place.touched.get(term) ?? this.#touch(place, term))
    this.#offsets.push(offset)
  }

  #touch({ collection, block, head, touched }: BlockPlace, term: Digest): TouchedBlock {
    const base = (head && blockAt(head, term)) ?? this.#terms.peek(collection, term, block)
    const made = { collection, term, block, image: base ? copyBlock(base) : [] }
    touched.set(term, made)
    this.touched.push(made)
    if (!base) this.#missing.push(made)
    return made
  }
}

const keyOf = ({ collection, term, block }: TouchedBlock) => blockKey(termPrefix(collection, term), block)

/** The terms of `one` that `other` does not have. */
function without({ terms }: Terms = none, { terms: others }: Terms = none): readonly Digest[] {
  if (others.length === 0) return terms
  const known = new Set(others)
  return terms.filter(term => !known.has(term))
}
