import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Level } from 'level'
import type { CollectionName } from '../../port/collection.ts'
import { endOfKeys, type KeyRange } from './keys.ts'

/** LevelDB as this engine uses it: ASCII keys, byte values. The types of `level` leave out what only Node has. */
export type LevelDb = Level<string, Buffer> & {
  compactRange(start: string, end: string): Promise<void>
}

/** A server's log that has this many bytes is ended before the next write. In memory they take a third more. */
export const logBytes = 12 << 20

/**
 * LevelDB's own defaults are for small machines: 8 MB of blocks, and a log of 4 MB before each flush. With tables of
 * 32 MB, compactions are fewer and take half the time of updates, but each is longer, and reads are slower meanwhile.
 * The memory of a log is never used up, as `WriteLog` ends it before.
 */
const ofServer = { cacheSize: 64 << 20, writeBufferSize: 8 * logBytes }

/** A command goes through all of a folder, or fills one, while nobody else reads: blocks are not read twice. */
const ofCommand = { cacheSize: 8 << 20, writeBufferSize: 64 << 20, maxFileSize: 32 << 20 }

export async function openLevelDb(folder: string, isCommand = false): Promise<LevelDb> {
  const level = new Level<string, Buffer>(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
    ...(isCommand ? ofCommand : ofServer),
    // Sealed boxes cannot be compressed. Trying takes a fifth of the time of a compaction, and makes the folder 8 % smaller.
    compression: false,
  })
  await level.open()
  return level as LevelDb
}

/** An iterator of LevelDB. */
export interface Chunked<Entry> {
  nextv(size: number): Promise<Entry[]>
  close(): Promise<void>
}

/** Yields what an iterator finds in chunks, and closes it. */
export async function* chunksOf<Entry>(iterator: Chunked<Entry>, size: number): AsyncGenerator<Entry[]> {
  try {
    for (;;) {
      const chunk = await iterator.nextv(size)
      if (chunk.length === 0) return
      yield chunk
    }
  } finally {
    await iterator.close()
  }
}

/**
 * Yields the entries of a range in chunks, each read anew: for who writes meanwhile, under what a snapshot, or an iterator,
 * would keep. `WriteLog` says why nothing should.
 */
export async function* chunksAnew(
  level: LevelDb,
  { gte, lt }: KeyRange,
  size: number,
): AsyncGenerator<[string, Buffer][]> {
  const read = async (from: { gte: string } | { gt: string }) => {
    const iterator = level.iterator({ ...from, lt, highWaterMarkBytes: 1 << 20 })
    for await (const chunk of chunksOf(iterator, size)) return chunk
    return []
  }
  let chunk = await read({ gte })
  for (let last = chunk.at(-1); last; last = chunk.at(-1)) {
    yield chunk
    chunk = await read({ gt: last[0] })
  }
}

/** True if another process uses the folder. */
export async function isInUse(folder: string): Promise<boolean> {
  // LevelDB takes the lock first, and then refuses the folder because it exists: nothing is changed.
  const level = new Level(folder, { createIfMissing: false, errorIfExists: true })
  const failure = await level.open().catch(error => error)
  return failure?.cause?.code === 'LEVEL_LOCKED'
}

/** LevelDB's own repair, which makes the list of tables anew. */
export async function repairLevelDb(folder: string): Promise<void> {
  await (Level as unknown as { repair(folder: string): Promise<void> }).repair(folder)
}

/** For the new list of tables, and the index and filter of each table. */
const spareBytes = 1 << 20

/**
 * Returns true if the disk has room for opening the folder, where LevelDB writes its log to tables: twice the size of the
 * log, as other processes may fill the disk too. A store that failed to write can still be read; closed, and not opened
 * again, it could not.
 */
export async function hasRoomToOpen(folder: string): Promise<boolean> {
  return (await missingRoom(folder)) < 0
}

/** Returns how many bytes the disk lacks for opening the folder. */
export async function missingRoom(folder: string): Promise<number> {
  let neededBytes = spareBytes
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) neededBytes += 2 * (await stat(join(folder, name))).size
  }
  const { bavail, bsize } = await statfs(folder)
  return neededBytes - bavail * bsize
}

/**
 * Rewrites the files of a collection without removed data. A plain `compactRange` is not enough: it merges each level
 * into the next one but does not rewrite the deepest files, and LevelDB puts a flushed log directly into a deep level
 * if no other file overlaps. So the log is flushed first. Then two tombstones, at both ends of the range, make a file
 * above all others, which the second `compactRange` merges down through every file of the range.
 * @param endLog runs a task while nothing is written, ends the log, and rewrites the tables of a range
 */
export async function compactCollection(
  level: LevelDb,
  collection: CollectionName,
  endLog: (range?: readonly [from: string, to: string], before?: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const end = collection + endOfKeys
  await endLog()
  // These keys are never used. They need no sync: if they are lost, the files stay as they are.
  await endLog([collection, end], () => level.batch().del(collection).del(end).write())
}
