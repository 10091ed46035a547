/**
 * Preloaded into our server: counts the keys and bytes of all batches, and writes the sums to the file named by
 * BENCH_WRITES when the server is stopped.
 */
import { writeFileSync } from 'node:fs'
import { Level } from 'level'

export interface Writes {
  keys: number
  bytes: number
  batches: number
}

const writes: Writes = { keys: 0, bytes: 0, batches: 0 }

interface Batch {
  put(key: string, value: Uint8Array, ...rest: unknown[]): unknown
  del(key: string, ...rest: unknown[]): unknown
}
type Batching = { batch(...args: unknown[]): Batch }

const prototype = Level.prototype as unknown as Batching
const { batch } = prototype
prototype.batch = function counted(this: Batching, ...args: unknown[]): Batch {
  const made = batch.apply(this, args)
  // Only batches filled by calls are counted, as our server does.
  if (args.length > 0) return made
  writes.batches++
  const { put, del } = made
  made.put = function (this: Batch, key, value, ...rest) {
    writes.keys++
    writes.bytes += key.length + value.length
    return put.call(this, key, value, ...rest)
  }
  // LevelDB writes the deletion of a key like a value.
  made.del = function (this: Batch, key, ...rest) {
    writes.keys++
    writes.bytes += key.length
    return del.call(this, key, ...rest)
  }
  return made
}

process.on('exit', () => writeFileSync(process.env.BENCH_WRITES ?? '', JSON.stringify(writes)))
