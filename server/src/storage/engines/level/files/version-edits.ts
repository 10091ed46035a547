import { intactRecords } from './log-format.ts'
import { readVarint } from './snappy.ts'

/** How the fields of a change to the list of tables are written: `n` is a number, `t` a text with its length. */
const fields: Readonly<Record<number, string>> = {
  1: 't',
  2: 'n',
  3: 'n',
  4: 'n',
  5: 'nt',
  6: 'nn',
  7: 'nnntt',
  9: 'n',
}
const logNumber = 2

/**
 * The number of the oldest log that a list of tables counts on; 0 where it counts on none, `undefined` where
 * it makes no sense. LevelDB does not miss a log that is gone.
 */
export function readLogNumber(manifest: Buffer): number | undefined {
  try {
    return findLogNumber(manifest)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function findLogNumber(manifest: Buffer): number {
  let number = 0
  for (const parts of intactRecords(manifest)) {
    const change = Buffer.concat(parts)
    for (let at = 0; at < change.length; ) {
      const tag = readVarint(change, at)
      const form = fields[tag.value]
      if (form === undefined) throw new RangeError('not a list of tables')
      at = tag.next
      for (const sort of form) {
        const { value, next } = readVarint(change, at)
        if (tag.value === logNumber) number = value
        at = sort === 't' ? next + value : next
      }
    }
  }
  return number
}
