import { uncompress } from 'snappyjs'
import { checksumOf } from './log-format.ts'
import { readVarint } from './varint.ts'

/*
 * A table of LevelDB: data blocks, filters, an index of each, and a footer of 48 bytes with the positions of the
 * indexes. Each block is followed by its type, u8, and its checksum, masked crc32c u32.
 */
const footerBytes = 48
const compressed = 1

interface Handle {
  readonly offset: number
  readonly size: number
}

/**
 * Returns the damage in a table: the position of the type of each block whose checksum does not match. LevelDB does
 * not verify checksums when it reads, and returns wrong data or none where a byte was changed. If the index is
 * damaged, no block can be found; then the result is the position of the table's last byte.
 */
export function findTableDamage(bytes: Buffer): readonly number[] {
  const wholeTable = [bytes.length - 1]
  try {
    const footer = bytes.length - footerBytes
    const filters = readHandle(bytes, footer)
    const data = readHandle(bytes, filters.next)
    if (bytes.toString('hex', footer + 40) !== '57fb808b247547db') return wholeTable
    // The rest of the footer is padding, which is never read.
    if (!isIntact(bytes, data.handle)) return wholeTable
    const lists = [data.handle]
    const blocks = [filters.handle]
    if (isIntact(bytes, filters.handle)) lists.push(filters.handle)
    for (const list of lists) blocks.push(...listHandles(contentOf(bytes, list)))
    return blocks.filter(block => !isIntact(bytes, block)).map(({ offset, size }) => offset + size)
  } catch {
    // Something in it is not what a table has there.
    return wholeTable
  }
}

function isIntact(bytes: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1
  return bytes.readUInt32LE(end) === checksumOf(bytes.subarray(offset, end))
}

function contentOf(bytes: Buffer, { offset, size }: Handle): Buffer {
  const content = bytes.subarray(offset, offset + size)
  return bytes[offset + size] === compressed ? Buffer.from(uncompress(content)) : content
}

/** Lists the block handles in an index: entries of a shortened key and a value, then restart points and their number. */
function listHandles(index: Buffer): Handle[] {
  const handles: Handle[] = []
  const end = index.length - 4 - 4 * index.readUInt32LE(index.length - 4)
  for (let at = 0; at < end; ) {
    const unshared = readVarint(index, readVarint(index, at).next)
    const valueLength = readVarint(index, unshared.next)
    const value = valueLength.next + unshared.value
    handles.push(readHandle(index, value).handle)
    at = value + valueLength.value
  }
  return handles
}

function readHandle(bytes: Buffer, at: number): { readonly handle: Handle; readonly next: number } {
  const offset = readVarint(bytes, at)
  const size = readVarint(bytes, offset.next)
  return { handle: { offset: offset.value, size: size.value }, next: size.next }
}
