import { ClassicLevel } from 'classic-level'
import type { Level } from './epoch.ts'
import { formatKey } from './keys.ts'

/**
 * The layout of keys.ts and record.ts, and what digests are. Goes up when one server could not read what another
 * wrote. Before 2 digests had four bits more than their 16 bytes, which no UUID can hold.
 */
const format = 2

/** The folder cannot be used as it is; the message is one sentence for the operator. */
export class DataFolderRefused extends Error {
  override readonly name = 'DataFolderRefused'
}

/** Opens the folder and makes sure that its format is ours. @throws {DataFolderRefused} */
export async function openFolder(folder: string, openLevel = openClassicLevel): Promise<Level> {
  const level = await refuseClearly(openLevel(folder))
  try {
    await checkFormat(level)
    return level
  } catch (error) {
    await level.close()
    throw error
  }
}

export async function openClassicLevel(folder: string): Promise<Level> {
  const level: Level = new ClassicLevel<string, Buffer>(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'buffer',
    // LevelDB's own defaults are for small machines: 8 MB of blocks, and a log of 4 MB before each flush.
    cacheSize: 64 << 20,
    writeBufferSize: 16 << 20,
  })
  await level.open()
  return level
}

async function refuseClearly(opening: Promise<Level>): Promise<Level> {
  try {
    return await opening
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause
    if (cause?.code === 'LEVEL_LOCKED') {
      throw new DataFolderRefused('The data folder is in use by another process.', { cause: error })
    }
    throw new DataFolderRefused('The data folder cannot be opened.', { cause: error })
  }
}

async function checkFormat(level: Level): Promise<void> {
  const found = await level.get(formatKey)
  if (found === undefined) {
    const [stranger] = await level.keys({ limit: 1 }).all()
    if (stranger !== undefined)
      throw new DataFolderRefused('The data folder holds a database of something else.')
    await level.put(formatKey, Buffer.from(String(format)), { sync: true })
    return
  }
  const version = Number(found.toString())
  if (version !== format) {
    throw new DataFolderRefused(
      `The data folder has format ${found}, and this server reads format ${format}: use the server that wrote it.`,
    )
  }
}
