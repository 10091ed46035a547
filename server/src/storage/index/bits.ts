/** Documents per block of the search index. */
export const blockSize = 4096
const wordCount = blockSize / 32
/** A longer list would take more room than a bitmap. */
const longestList = 128

/** A bitmap to compute with. */
export type Words = Uint32Array
/** The documents of one term among 4096 consecutive ordinals: a sorted list of offsets, or a bitmap. Never changed. */
export type Block = readonly number[] | Words
/** The blocks of one term, by number. */
export type Blocks = ReadonlyMap<number, Block>

export const newWords = (): Words => new Uint32Array(wordCount)

/** The first byte of a stored block says what follows: the offsets, a bitmap, or the offsets that are not in it. */
const [listTag, bitmapTag, absentTag] = [0, 1, 2]

export function decodeBlock(bytes: Uint8Array): Block {
  if (bytes[0] === bitmapTag) {
    const words = newWords()
    new Uint8Array(words.buffer).set(bytes.subarray(1))
    return words
  }
  const list: number[] = []
  for (let at = 1; at < bytes.length; at += 2)
    list.push((bytes[at] as number) | ((bytes[at + 1] as number) << 8))
  return bytes[0] === absentTag ? allBut(list) : list
}

/**
 * A bitmap is stored without the zeros at its end. One that is nearly full, as most blocks of all documents are, is
 * stored as what it lacks: a list of all documents reads every block. All platforms of Node are little-endian.
 */
export function encodeBlock(block: Block): Buffer {
  if (!(block instanceof Uint32Array)) return encodeList(listTag, block)
  if (countBits(block) >= blockSize - longestList)
    return encodeList(absentTag, offsetsOf(block.map(word => ~word)))
  const content = new Uint8Array(block.buffer)
  let end = content.length
  while (content[end - 1] === 0) end--
  const bytes = Buffer.allocUnsafe(1 + end)
  bytes[0] = bitmapTag
  bytes.set(content.subarray(0, end), 1)
  return bytes
}

function encodeList(tag: number, list: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 2 * list.length)
  bytes[0] = tag
  for (let at = 0; at < list.length; at++) bytes.writeUInt16LE(list[at] as number, 1 + 2 * at)
  return bytes
}

function allBut(list: readonly number[]): Words {
  const words = newWords().fill(0xffffffff)
  for (const offset of list) clearBit(words, offset)
  return words
}

export function fill(out: Words, block: Block): void {
  if (block instanceof Uint32Array) {
    out.set(block)
    return
  }
  out.fill(0)
  for (let at = 0; at < block.length; at++) setBit(out, block[at] as number)
}

const setBit = (words: Words, offset: number) => {
  words[offset >>> 5] = (words[offset >>> 5] as number) | (1 << (offset & 31))
}

const clearBit = (words: Words, offset: number) => {
  words[offset >>> 5] = (words[offset >>> 5] as number) & ~(1 << (offset & 31))
}

const scratch = newWords()

/** Returns a block with changes: offsets to add, and those to remove as their complements. `undefined` if it is empty. */
export function changed(block: Block | undefined, changes: readonly number[]): Block | undefined {
  const [only = -1] = changes
  // Most changes add the newest document to a short list.
  if (!(block instanceof Uint32Array) && changes.length === 1 && only > (block?.at(-1) ?? -1)) {
    if (block === undefined || block.length === 0) return [only]
    if (block.length < longestList) return [...block, only]
  }
  if (block) fill(scratch, block)
  else scratch.fill(0)
  for (const change of changes) {
    if (change >= 0) setBit(scratch, change)
    else clearBit(scratch, ~change)
  }
  const count = countBits(scratch)
  if (count === 0) return undefined
  return count > longestList ? scratch.slice() : offsetsOf(scratch)
}

export function fillRange(out: Words, from: number, end: number): void {
  out.fill(0)
  if (from >= end) return
  const [first, last] = [from >>> 5, (end - 1) >>> 5]
  out.fill(0xffffffff, first, last + 1)
  out[first] = (out[first] as number) & (0xffffffff << (from & 31))
  out[last] = (out[last] as number) & (0xffffffff >>> (31 - ((end - 1) & 31)))
}

/** Sets `out` to `out AND other`. Returns false if nothing is left. */
export function intersect(out: Words, other: Words): boolean {
  let any = 0
  for (let word = 0; word < wordCount; word++) {
    const both = (out[word] as number) & (other[word] as number)
    out[word] = both
    any |= both
  }
  return any !== 0
}

/** Sets `out` to `out OR other`. */
export function unite(out: Words, other: Words): void {
  for (let word = 0; word < wordCount; word++) out[word] = (out[word] as number) | (other[word] as number)
}

/** Sets `out` to `from AND NOT out`. */
export function subtractFrom(from: Words, out: Words): void {
  for (let word = 0; word < wordCount; word++) out[word] = (from[word] as number) & ~(out[word] as number)
}

export function countBits(words: Words): number {
  let count = 0
  for (let word = 0; word < wordCount; word++) count += countOnes(words[word] as number)
  return count
}

function countOnes(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Returns the offsets in a bitmap, without the first `skip`, and at most `limit` of them. */
export function offsetsOf(words: Words, descending = false, skip = 0, limit = blockSize): number[] {
  const offsets: number[] = []
  let left = skip
  for (let index = 0; index < wordCount; index++) {
    const word = descending ? wordCount - 1 - index : index
    let bits = words[word] as number
    const count = countOnes(bits)
    if (count <= left) {
      left -= count
      continue
    }
    while (bits !== 0) {
      const bit = 31 - Math.clz32(descending ? bits : bits & -bits)
      bits &= ~(1 << bit)
      if (left > 0) left--
      else if (offsets.push(word * 32 + bit) === limit) return offsets
    }
  }
  return offsets
}

export function blocksOf(ordinals: readonly number[]): Blocks {
  const blocks = new Map<number, number[]>()
  for (const ordinal of ordinals) {
    const block = Math.floor(ordinal / blockSize)
    const list = blocks.get(block)
    if (list) list.push(ordinal % blockSize)
    else blocks.set(block, [ordinal % blockSize])
  }
  return blocks
}
