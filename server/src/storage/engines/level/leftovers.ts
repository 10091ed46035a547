import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

interface Table {
  readonly path: string
  readonly bytes: number
  readonly isLeftover: boolean
}

/**
 * Returns the tables of a folder. Leftovers are those that LevelDB's list, the manifest, does not name: of a compaction that
 * failed, as on a full disk. LevelDB removes them when it opens the folder, but to open it, it needs room. If the list is
 * not understood, no table counts as one.
 */
export async function tablesIn(folder: string): Promise<Table[]> {
  const live = await readLive(folder).catch(() => undefined)
  const names = new Map<number, string>()
  for (const name of await readdir(folder)) {
    const number = /^(\d+)\.(?:ldb|sst)$/.exec(name)?.[1]
    if (number !== undefined) names.set(Number(number), name)
  }
  const isUnderstood = live !== undefined && [...live].every(number => names.has(number))
  const tables: Table[] = []
  for (const [number, name] of names) {
    const path = join(folder, name)
    // One may be removed in the meantime.
    const { size: bytes } = await stat(path).catch(() => ({ size: 0 }))
    tables.push({ path, bytes, isLeftover: isUnderstood && !live.has(number) })
  }
  return tables
}

/**
 * Removes leftovers. No process may have the folder open, and LevelDB must have read its list since: it verifies it.
 * Returns true if there were any.
 */
export async function removeLeftoverTables(folder: string): Promise<boolean> {
  const leftovers = (await tablesIn(folder)).filter(({ isLeftover }) => isLeftover)
  for (const { path } of leftovers) await rm(path, { force: true })
  return leftovers.length > 0
}

/** Returns the numbers of the tables that the manifest names. @throws where it is not understood */
async function readLive(folder: string): Promise<Set<number>> {
  const current = (await readFile(join(folder, 'CURRENT'), 'utf8')).trim()
  const live = new Map<string, number>()
  const seen = new Set<number>()
  for (const record of recordsIn(await readFile(join(folder, current)))) applyEdit(record, live, seen)
  // Log, next file and last sequence: LevelDB accepts no list without them.
  if (![2, 3, 4].every(field => seen.has(field))) throw new Error('not a list of tables')
  return new Set(live.values())
}

const blockBytes = 32_768
const headerBytes = 7

/** Yields the records of a file of LevelDB's log format: parts within blocks, each behind checksum, length and type. */
function* recordsIn(file: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let at = 0; at + headerBytes <= file.length; ) {
    const left = blockBytes - (at % blockBytes)
    if (left < headerBytes) {
      at += left
      continue
    }
    const [length, type] = [file.readUInt16LE(at + 4), file[at + 6] ?? 0]
    const end = at + headerBytes + length
    if (type < 1 || type > 4 || length > left - headerBytes) throw new Error('not a record')
    // A record that was cut off does not count.
    if (end > file.length) return
    const isFirst = type === 1 || type === 2
    if (isFirst !== (parts.length === 0)) throw new Error('parts are missing')
    parts.push(file.subarray(at + headerBytes, end))
    if (type === 1 || type === 4) {
      yield Buffer.concat(parts)
      parts = []
    }
    at = end
  }
}

/** Applies a change of the list of tables. @param live numbers by level and number @param seen the fields so far */
function applyEdit(edit: Buffer, live: Map<string, number>, seen: Set<number>): void {
  let at = 0
  const number = () => {
    for (let [value, factor] = [0, 1]; ; factor *= 128) {
      const byte = edit[at++]
      if (byte === undefined) throw new Error('cut off')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const skipText = () => {
    const length = number()
    at += length
  }
  // In the order of the fields: comparator, log, next file, last sequence, compaction pointer, removed and new table, older log.
  const fields: Readonly<Record<number, () => void>> = {
    1: skipText,
    2: number,
    3: number,
    4: number,
    5: () => {
      number()
      skipText()
    },
    6: () => void live.delete(`${number()} ${number()}`),
    7: () => {
      const [level, table] = [number(), number()]
      live.set(`${level} ${table}`, table)
      number()
      skipText()
      skipText()
    },
    9: number,
  }
  while (at < edit.length) {
    const name = number()
    const read = fields[name]
    if (!read) throw new Error('not a field')
    seen.add(name)
    read()
  }
  if (at !== edit.length) throw new Error('cut off')
}
