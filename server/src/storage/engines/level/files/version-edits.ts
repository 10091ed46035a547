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
const removedTable = 6
const addedTable = 7

/** The files that a list of tables names. */
interface ListedFiles {
  /** Number of the oldest log that is needed; 0 if none is. */
  readonly oldestLog: number
  /** Numbers of the tables. */
  readonly tables: ReadonlySet<number>
}

/** Reads a list of tables. Returns `undefined` if it cannot be read. */
export function readListedFiles(manifest: Buffer): ListedFiles | undefined {
  let oldestLog = 0
  const tables = new Set<number>()
  try {
    for (const parts of intactRecords(manifest)) {
      const change = Buffer.concat(parts)
      for (let at = 0; at < change.length; ) {
        const tag = readVarint(change, at)
        const form = fields[tag.value]
        if (form === undefined) return undefined
        at = tag.next
        const numbers: number[] = []
        for (const sort of form) {
          const { value, next } = readVarint(change, at)
          numbers.push(value)
          at = sort === 't' ? next + value : next
        }
        const [number = 0, table = 0] = numbers
        if (tag.value === logNumber) oldestLog = number
        if (tag.value === addedTable) tables.add(table)
        if (tag.value === removedTable) tables.delete(table)
      }
    }
    return { oldestLog, tables }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
