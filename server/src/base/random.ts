import { randomFillSync, randomUUID } from 'node:crypto'

/** Where randomness comes from. Tests may pass their own. */
export interface Random {
  /** Fresh bytes the caller may keep. */
  bytes(length: number): Uint8Array
  uuid(): string
}

const poolSize = 8192

/** The operating system's generator, drawn in pools: a call for 12 bytes of its own costs ten times as much. */
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
      // What was handed out must not be found in the pool again.
      pool.fill(0, used, used + length)
      used += length
      return bytes
    },
    uuid: () => randomUUID(),
  }
}
