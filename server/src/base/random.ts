import { createHash, randomFillSync, randomUUID } from 'node:crypto'
import { machineMs } from './time/real-time.ts'

/** A source of random values. Tests may pass their own. */
export interface Random {
  /** Returns new random bytes that the caller may keep. */
  bytes(length: number): Uint8Array
  uuid(): string
  /**
   * Returns a UUID that begins with the time (version 7, RFC 9562), for ids that need not hide when they were made. Those
   * made one after another lie close together in the store, which then rewrites less.
   */
  timedUuid(): string
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
    timedUuid: () => withTime(randomUUID(), machineMs()),
  }
}

function withTime(uuid: string, ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid.slice('xxxxxxxx-xxxx-4'.length)}`
}

/** Returns the same values in each run: the digests of a name and a counter. For tests only, as anyone can repeat it. */
export function seededRandom(name: string): Random {
  let pool = Buffer.alloc(0)
  let blocks = 0
  const bytes = (length: number): Uint8Array => {
    while (pool.length < length) {
      pool = Buffer.concat([pool, createHash('sha256').update(`${name} ${blocks++}`).digest()])
    }
    const taken = new Uint8Array(pool.subarray(0, length))
    pool = pool.subarray(length)
    return taken
  }
  const uuid = () => {
    const hex = Buffer.from(bytes(16)).toString('hex')
    const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  // The machine's time would differ in each run.
  return { bytes, uuid, timedUuid: uuid }
}
