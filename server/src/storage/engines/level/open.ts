import { readdir } from 'node:fs/promises'
import { DataFolderDamaged, DataFolderRefused } from './data-folder-errors.ts'
import { formatKey, reindexKey } from './keys.ts'
import { type LevelDb, missingRoom, openLevelDb, repairLevelDb } from './leveldb.ts'

/**
 * The version of the layout in keys.ts and record.ts, of digests and of what boxes are bound to. It changes when servers
 * cannot read each other's folders.
 */
const format = 1

export interface FolderOptions {
  readonly openLevel?: (folder: string) => Promise<LevelDb>
  /** Its index is built anew: a damaged folder is repaired first, as LevelDB does it. */
  readonly isReindexed?: boolean
}

/** Opens the folder, and checks its format. @throws {DataFolderRefused} */
export async function openFolder(folder: string, options: FolderOptions = {}): Promise<LevelDb> {
  const { openLevel = openLevelDb, isReindexed = false } = options
  const level = await open(folder, openLevel).catch(async error => {
    if (!(isReindexed && error instanceof DataFolderDamaged)) throw error
    await repairLevelDb(folder)
    return open(folder, openLevel)
  })
  try {
    await checkFormat(level, isReindexed)
    return level
  } catch (error) {
    await level.close()
    throw error
  }
}

async function open(folder: string, openLevel: (folder: string) => Promise<LevelDb>): Promise<LevelDb> {
  await refuseHeadless(folder)
  return openLevel(folder).catch(error => refuse(folder, error))
}

/** LevelDB would begin an empty store beside the files of the old one. */
async function refuseHeadless(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  if (names.some(name => /\.(ldb|log)$/.test(name)) && !names.includes('CURRENT')) throw damaged()
}

/** @throws {DataFolderRefused} */
async function refuse(folder: string, error: Error): Promise<never> {
  const { code, message = '' } = (error.cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (code === 'LEVEL_LOCKED') {
    throw new DataFolderRefused('The data folder is in use by another process.', { cause: error })
  }
  let reason = ''
  if (/no space left|disk quota/i.test(message)) {
    const megabytes = Math.max(1, Math.ceil((await missingRoom(folder)) / 1e6))
    reason = `, as the disk is full: make room for ${megabytes} MB more`
  } else if (/permission denied/i.test(message))
    reason = `: permission denied for some of its files; chown -R ${process.getuid?.()} ${folder}`
  else if (code?.startsWith('LEVEL_')) throw damaged(error)
  throw new DataFolderRefused(`The data folder cannot be opened${reason}.`, { cause: error })
}

const damaged = (cause?: unknown) =>
  new DataFolderDamaged(
    'The data folder is damaged: restore it from a backup, or run surrogate-server reindex, which keeps what is intact.',
    { cause },
  )

async function checkFormat(level: LevelDb, isReindexed: boolean): Promise<void> {
  const [found, reindexing] = await level.getMany([formatKey, reindexKey])
  if (found === undefined) {
    const [stranger] = await level.keys({ limit: 1 }).all()
    if (stranger !== undefined && !isReindexed) {
      throw new DataFolderRefused('The data folder holds a database of another program.')
    }
    await level.put(formatKey, Buffer.from(String(format)), { sync: true })
  } else if (Number(found.toString()) !== format) {
    throw new DataFolderRefused(
      `The data folder has format ${found}, and this server reads format ${format}: use the server that wrote it.`,
    )
  }
  if (reindexing && !isReindexed) {
    throw new DataFolderRefused('The index was not built to the end: run surrogate-server reindex again.')
  }
}
