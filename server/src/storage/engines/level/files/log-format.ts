import crc32c from 'crc-32/crc32c.js'

/*
 * LevelDB's log format, also used by the MANIFEST: blocks of 32 KiB, and in each of them fragments
 *   crc32c u32 | length u16 | type u8 | payload
 * numbers little-endian, checksum over type and payload. A record is one whole fragment, or a first, any number of
 * middle ones and a last. Fewer than 7 bytes at the end of a block are left empty.
 */
export const blockBytes = 32 << 10
export const headerBytes = 7

export const whole = 1
export const first = 2
export const middle = 3
const last = 4

interface Fragment {
  readonly type: number
  /** The start and end of its payload. */
  readonly start: number
  readonly end: number
}

/** Returns the fragment at `at` if it ends before `end` and its checksum matches. */
export function fragmentAt(bytes: Buffer, at: number, end: number): Fragment | undefined {
  const type = bytes[at + 6] ?? 0
  if (type < whole || type > last) return undefined
  const start = at + headerBytes
  const fragmentEnd = start + bytes.readUInt16LE(at + 4)
  if (fragmentEnd > end || bytes.readUInt32LE(at) !== checksumOf(bytes.subarray(start - 1, fragmentEnd)))
    return undefined
  return { type, start, end: fragmentEnd }
}

/** Returns the first fragment that begins at `at` or later in the block that ends at `end`. */
export function nextFragment(bytes: Buffer, at: number, end: number): Fragment | undefined {
  for (let next = at; end - next >= headerBytes; next++) {
    const fragment = fragmentAt(bytes, next, end)
    if (fragment) return fragment
  }
  return undefined
}

/** Yields the intact records, each as the payloads of its fragments. */
export function* intactRecords(bytes: Buffer): Generator<readonly Buffer[]> {
  /** The fragments of an incomplete record that is intact so far. */
  let open: Buffer[] | undefined
  for (let block = 0; block < bytes.length; block += blockBytes) {
    const end = Math.min(block + blockBytes, bytes.length)
    for (let at = block; end - at >= headerBytes; ) {
      const fragment = nextFragment(bytes, at, end)
      if (fragment?.start !== at + headerBytes) open = undefined
      if (!fragment) break
      at = fragment.end
      if (fragment.type === whole || fragment.type === first) open = []
      open?.push(bytes.subarray(fragment.start, fragment.end))
      if (!open || fragment.type === first || fragment.type === middle) continue
      yield open
      open = undefined
    }
  }
}

/** True if the checksum matches a payload of another length than the header has. */
export function fitsOtherLength(bytes: Buffer, at: number, end: number): boolean {
  const expected = bytes.readUInt32LE(at)
  let crc = 0
  for (let next = at + headerBytes - 1; next < end; next++) {
    crc = crc32c.buf([bytes[next] ?? 0], crc)
    if (mask(crc) === expected) return true
  }
  return false
}

/** Encodes records as a log. */
export function encodeLog(records: Iterable<Buffer>): Buffer {
  const parts: Buffer[] = []
  let left = blockBytes
  for (const record of records) {
    let at = 0
    do {
      if (left < headerBytes) {
        parts.push(Buffer.alloc(left))
        left = blockBytes
      }
      const end = Math.min(record.length, at + left - headerBytes)
      const type = at === 0 ? (end === record.length ? whole : first) : end === record.length ? last : middle
      const fragment = Buffer.alloc(headerBytes + end - at)
      fragment[6] = type
      fragment.writeUInt16LE(end - at, 4)
      record.copy(fragment, headerBytes, at, end)
      fragment.writeUInt32LE(checksumOf(fragment.subarray(6)))
      parts.push(fragment)
      left -= fragment.length
      at = end
    } while (at < record.length)
  }
  return Buffer.concat(parts)
}

/** The checksum of bytes in LevelDB's files: CRC-32C, which zlib's crc32 is not. */
export function checksumOf(bytes: Uint8Array): number {
  return mask(crc32c.buf(bytes))
}

/** Masks a checksum as LevelDB does, because data may contain checksums themselves. */
function mask(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
