import { randomFillSync, randomUUID } from 'node:crypto'

/** A source of random values. Tests may pass their own. */
export interface Random {
  /** Returns new random bytes that the caller may keep. */
  bytes(length: number): Uint8Array
  uuid(): string
}

const poolSize = 8192

/** The generator of the operating system, read in pools: reading 12 bytes at a time takes ten times as long. */
export function systemRandom(): Random {
  const pool = Buffer.allocUnsafe(poolSize)
  let used = poolSize
  return {
    bytes(length) {
      if (length > poolSize / 4) return randomFillSync(new Uint8Array(length))
      if (used + length > poolSize) {
        randomFillSync(pool)
        used = 0
      }
      const bytes = new Uint8Array(pool.subarray(used, used + length))
      // Bytes in use must not stay in the pool.
      pool.fill(0, used, used + length)
      used += length
      return bytes
    },
    uuid: () => randomUUID(),
  }
}
