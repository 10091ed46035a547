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
