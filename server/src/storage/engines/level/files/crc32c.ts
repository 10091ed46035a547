/** Table `k` advances a byte by `k` further zero bytes, so that eight bytes are processed in one step. */
const tables = makeTables()

function makeTables(): readonly Uint32Array[] {
  const [first, ...others] = Array.from({ length: 8 }, () => new Uint32Array(256)) as [
    Uint32Array,
    ...Uint32Array[],
  ]
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    // Castagnoli's polynomial, reflected.
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    first[byte] = crc
  }
  let before = first
  for (const table of others) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = before[byte] ?? 0
      table[byte] = (crc >>> 8) ^ (first[crc & 0xff] ?? 0)
    }
    before = table
  }
  return [first, ...others]
}

const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
]

/** Extends the CRC-32C `before` (0 at the start) by bytes. zlib's crc32 uses another polynomial. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  let crc = ~before
  let at = start
  for (; at + 8 <= end; at += 8) {
    const low =
      crc ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24))
    crc =
      (t7[low & 0xff] as number) ^
      (t6[(low >>> 8) & 0xff] as number) ^
      (t5[(low >>> 16) & 0xff] as number) ^
      (t4[low >>> 24] as number) ^
      (t3[bytes[at + 4] as number] as number) ^
      (t2[bytes[at + 5] as number] as number) ^
      (t1[bytes[at + 6] as number] as number) ^
      (t0[bytes[at + 7] as number] as number)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ (t0[(crc ^ (bytes[at] as number)) & 0xff] as number)
  return ~crc >>> 0
}
