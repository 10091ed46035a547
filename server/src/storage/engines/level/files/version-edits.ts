import { intactRecords } from './log-format.ts'
import { readVarint } from './varint.ts'

/** The format of the fields in a version edit: `n` is a varint, `t` a text with its length. */
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
 * Returns the number of the oldest log that a list of tables needs; 0 if it needs none, `undefined` if the list cannot
 * be read. LevelDB does not report a missing log.
 */
export function readLogNumber(manifest: Buffer): number | undefined {
  let number = 0
  try {
    for (const parts of intactRecords(manifest)) {
      const change = Buffer.concat(parts)
      for (let at = 0; at < change.length; ) {
        const tag = readVarint(change, at)
        const form = fields[tag.value]
        if (form === undefined) return undefined
        at = tag.next
        for (const sort of form) {
          const { value, next } = readVarint(change, at)
          if (tag.value === logNumber) number = value
          at = sort === 't' ? next + value : next
        }
      }
    }
    return number
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
