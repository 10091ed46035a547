/** Decompresses a Snappy block. @throws {RangeError} if it is not one */
export function uncompress(bytes: Buffer): Buffer {
  const { value: length, next } = readVarint(bytes, 0)
  // A step of two bytes makes 64 bytes at most.
  if (length > bytes.length * 32) throw new RangeError('not a compressed block')
  const out = Buffer.alloc(length)
  let at = next
  let end = 0
  while (at < bytes.length) {
    const tag = bytes[at++] as number
    const kind = tag & 3
    if (kind === 0) {
      const extra = Math.max(0, (tag >> 2) - 59)
      const size = (extra === 0 ? tag >> 2 : bytes.readUIntLE(at, extra)) + 1
      at += extra
      if (at + size > bytes.length || end + size > length) throw new RangeError('not a compressed block')
      bytes.copy(out, end, at, at + size)
      at += size
      end += size
      continue
    }
    const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const width = kind === 1 ? 1 : kind === 2 ? 2 : 4
    const offset = bytes.readUIntLE(at, width) + (kind === 1 ? (tag >> 5) << 8 : 0)
    at += width
    if (offset === 0 || offset > end || end + size > length) throw new RangeError('not a compressed block')
    // Byte by byte, as source and target may overlap.
    for (const stop = end + size; end < stop; end++) out[end] = out[end - offset] as number
  }
  if (end !== length) throw new RangeError('not a compressed block')
  return out
}

/** Reads a varint; `next` is the position after it. @throws {RangeError} */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let next = at, factor = 1; next < at + 8; factor *= 128) {
    const byte = bytes.readUInt8(next++)
    value += (byte & 127) * factor
    if (byte < 128) return { value, next }
  }
  throw new RangeError('not a varint')
}
