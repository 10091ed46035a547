import type { Digest } from '../../port.ts'
import { addOffset, copyBlock, decodeBlock, encodeBlock, type OwnBlock, removeOffset } from './bitmap.ts'
import type { Change, Mutations } from './changes.ts'
import type { HeadBlocks } from './head-blocks.ts'
import { blockKey, blockSize, type CollectionKey, liveTerm, termPrefix } from './keys.ts'
import type { Header } from './record.ts'
import type { PublishedBlock } from './state.ts'
import type { TermCache } from './term-cache.ts'

/** A block of one term that the group changes. */
interface TouchedBlock extends PublishedBlock {
  readonly collection: CollectionKey
  readonly term: Digest
  image: OwnBlock
}

const removing = blockSize

type Terms = Pick<Header, 'terms'>
const none: Terms = { terms: [] }

/** The index changes of a group: each block is copied, changed in memory and written once for all documents. */
export class IndexGroup {
  readonly touched: TouchedBlock[] = []
  readonly #byPlace = new Map<CollectionKey, Map<number, Map<Digest, TouchedBlock>>>()
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
      const place = ordinal % blockSize
      if (!before) this.#heads.enter(collection, (ordinal - place) / blockSize, place === 0)
      if (!before || !after) this.#change(collection, ordinal, liveTerm, after ? 0 : removing)
      for (const term of without(before, after)) this.#change(collection, ordinal, term, removing)
      for (const term of without(after, before)) this.#change(collection, ordinal, term, 0)
    }
  }

  /** Reads the blocks that are in neither cache, and changes all blocks in memory. */
  async apply(read: (keys: string[]) => (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>) {
    if (this.#missing.length > 0) {
      const values = await read(this.#missing.map(({ prefix, block }) => blockKey(prefix, block)))
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
    for (const { prefix, block, image } of this.touched) {
      const value = encodeBlock(image)
      if (value) mutations.put(blockKey(prefix, block), value)
      else mutations.del(blockKey(prefix, block))
    }
  }

  /** Hands the images to the readers. They do not change any more. */
  publish(): void {
    for (const { collection, term, block, image } of this.touched) {
      this.#heads.set(collection, block, term, image)
    }
  }

  #change(collection: CollectionKey, ordinal: number, term: Digest, flag: number): void {
    const offset = ordinal % blockSize
    this.#targets.push(this.#touch(collection, (ordinal - offset) / blockSize, term))
    this.#offsets.push(offset + flag)
  }

  #touch(collection: CollectionKey, block: number, term: Digest): TouchedBlock {
    const blocks = entryOf(this.#byPlace, collection)
    const terms = entryOf(blocks, block)
    const known = terms.get(term)
    if (known) return known
    const prefix = termPrefix(collection, term)
    const base = this.#heads.get(collection, block, term) ?? this.#terms.peek(prefix, block)
    const touched = { collection, term, prefix, block, image: base ? copyBlock(base) : [] }
    terms.set(term, touched)
    this.touched.push(touched)
    if (!base) this.#missing.push(touched)
    return touched
  }
}

function entryOf<Outer, Inner, Value>(map: Map<Outer, Map<Inner, Value>>, key: Outer): Map<Inner, Value> {
  let entry = map.get(key)
  if (!entry) {
    entry = new Map()
    map.set(key, entry)
  }
  return entry
}

/** The terms of `one` that `other` does not have. */
function without({ terms }: Terms = none, { terms: others }: Terms = none): readonly Digest[] {
  if (others.length === 0) return terms
  const known = new Set(others)
  return terms.filter(term => !known.has(term))
}
