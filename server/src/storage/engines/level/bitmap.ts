import type { Digest } from '../../port/port.ts'
import type { CollectionKey } from './keys.ts'

/**
 * A set of documents among 4096 consecutive ordinals: a short sorted list of offsets, or 128 words of 32 bits. For
 * blocks of this fixed size, plain loops over words are as fast as a library, and no native package is needed.
 */
export type Block = readonly number[] | Uint32Array

/** A block that its owner may still change. */
export type OwnBlock = number[] | Uint32Array

/** A bitmap to compute with. */
export type Words = Uint32Array

const wordsPerBlock = 128
// A longer list takes more memory than a bitmap, and is slower.
const longestList = 128

const listTag = 0
const wordsTag = 1

export function newWords(): Words {
  return new Uint32Array(wordsPerBlock)
}

export function copyBlock(block: Block): OwnBlock {
  return block.slice()
}

export function isEmpty(block: Block): boolean {
  return block instanceof Uint32Array ? block.every(word => word === 0) : block.length === 0
}

/** Adds an offset in place. Returns a bitmap instead where the list becomes too long. */
export function addOffset(block: OwnBlock, offset: number): OwnBlock {
  if (block instanceof Uint32Array) {
    setBit(block, offset)
    return block
  }
  const last = block.at(-1)
  if (last === undefined || last < offset) block.push(offset)
  else if (!block.includes(offset)) {
    block.push(offset)
    block.sort((a, b) => a - b)
  }
  return block.length > longestList ? toWords(block) : block
}

/** Removes an offset in place. */
export function removeOffset(block: OwnBlock, offset: number): void {
  if (block instanceof Uint32Array) {
    const word = offset >>> 5
    block[word] = (block[word] ?? 0) & ~(1 << (offset & 31))
    return
  }
  const at = block.indexOf(offset)
  if (at >= 0) block.splice(at, 1)
}

function setBit(words: Words, offset: number): void {
  const word = offset >>> 5
  words[word] = (words[word] ?? 0) | (1 << (offset & 31))
}

function toWords(list: readonly number[]): Words {
  const words = newWords()
  for (const offset of list) setBit(words, offset)
  return words
}

/**
 * Encodes a block as the shorter of a list of 16-bit offsets and a bitmap without its trailing zero bytes. Returns
 * `undefined` for an empty block, which is not stored.
 */
export function encodeBlock(block: Block): Buffer | undefined {
  const count = block instanceof Uint32Array ? countBits(block) : block.length
  if (count === 0) return undefined
  const bitmapLength = (lastOffset(block) >>> 3) + 1
  if (count * 2 < bitmapLength) return encodeList(offsetsOf(block))
  const words = block instanceof Uint32Array ? block : toWords(block)
  const bytes = Buffer.allocUnsafe(1 + bitmapLength)
  bytes[0] = wordsTag
  // The bytes of the words as they are in memory: all platforms of LevelDB are little-endian.
  bytes.set(new Uint8Array(words.buffer, words.byteOffset, bitmapLength), 1)
  return bytes
}

function encodeList(list: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(1 + list.length * 2)
  bytes[0] = listTag
  for (let index = 0; index < list.length; index++) bytes.writeUInt16LE(list[index] ?? 0, 1 + index * 2)
  return bytes
}

function lastOffset(block: Block): number {
  if (!(block instanceof Uint32Array)) return block.at(-1) ?? 0
  let word = wordsPerBlock - 1
  while (word > 0 && block[word] === 0) word--
  return word * 32 + 31 - Math.clz32(block[word] ?? 0)
}

export function decodeBlock(bytes: Buffer): Block {
  if (bytes[0] === wordsTag) {
    const words = newWords()
    new Uint8Array(words.buffer).set(bytes.subarray(1))
    return countBits(words) > longestList ? words : listOffsets(words)
  }
  const list: number[] = []
  for (let at = 1; at < bytes.length; at += 2) list.push(bytes.readUInt16LE(at))
  return list
}

/** The approximate memory of a block. */
export function sizeOfBlock(block: Block): number {
  return block instanceof Uint32Array ? 700 : 80 + block.length * 8
}

/** Sets `out` to the block. */
export function fill(out: Words, block: Block): void {
  if (block instanceof Uint32Array) {
    out.set(block)
    return
  }
  out.fill(0)
  for (let index = 0; index < block.length; index++) setBit(out, block[index] ?? 0)
}

/** Sets `out` to the offsets from `from` up to, not including, `end`. */
export function fillRange(out: Words, from: number, end: number): void {
  out.fill(0)
  if (from >= end) return
  const first = from >>> 5
  const last = (end - 1) >>> 5
  out.fill(0xffffffff, first, last + 1)
  out[first] = (out[first] ?? 0) & (0xffffffff << (from & 31))
  out[last] = (out[last] ?? 0) & (0xffffffff >>> (31 - ((end - 1) & 31)))
}

/** Sets `out` to `out AND other`. Returns false if the result is empty. */
export function intersect(out: Words, other: Words): boolean {
  let any = 0
  for (let word = 0; word < wordsPerBlock; word++) {
    const both = (out[word] ?? 0) & (other[word] ?? 0)
    out[word] = both
    any |= both
  }
  return any !== 0
}

/** Sets `out` to `out OR other`. */
export function unite(out: Words, other: Words): void {
  for (let word = 0; word < wordsPerBlock; word++) out[word] = (out[word] ?? 0) | (other[word] ?? 0)
}

/** Sets `out` to `from AND NOT out`. Returns false if the result is empty. */
export function subtractFrom(from: Words, out: Words): boolean {
  let any = 0
  for (let word = 0; word < wordsPerBlock; word++) {
    const rest = (from[word] ?? 0) & ~(out[word] ?? 0)
    out[word] = rest
    any |= rest
  }
  return any !== 0
}

export function countBits(words: Words): number {
  let count = 0
  for (let word = 0; word < wordsPerBlock; word++) {
    let bits = words[word] ?? 0
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** Returns the offsets in a block, ascending. */
export function offsetsOf(block: Block): readonly number[] {
  return block instanceof Uint32Array ? listOffsets(block) : block
}

/** Lists the offsets in a bitmap, ascending. */
export function listOffsets(words: Words): number[] {
  const offsets: number[] = []
  for (let word = 0; word < wordsPerBlock; word++) {
    let bits = words[word] ?? 0
    while (bits !== 0) {
      offsets.push(word * 32 + (31 - Math.clz32(bits & -bits)))
      bits &= bits - 1
    }
  }
  return offsets
}

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
