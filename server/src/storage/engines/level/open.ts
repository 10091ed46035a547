import { type Damage, findFolderDamage } from './files/folder-damage.ts'
import { formatKey, registryKeys } from './keys.ts'
import { type LevelDb, openLevelDb, tryToOpen } from './leveldb.ts'
import { DataFolderDamaged, DataFolderRefused } from './refused.ts'

/**
 * The version of the layout in keys.ts and record.ts, and of digests. It changes when servers cannot read each other's
 * folders. Before 2, digests had four bits more than 16 bytes. Before 3, tokens with several containers had other
 * terms, which searches would not find now, and a registry of their combinations.
 */
const format = 3
const formatWithRegistry = 2

export interface FolderOptions {
  readonly openLevel?: ((folder: string) => Promise<LevelDb>) | undefined
  /** Also opens a folder whose index has to be repaired first. */
  readonly forRepair?: boolean | undefined
  /** The folder is ours, even if its format number was lost. */
  readonly isRepaired?: boolean | undefined
}

/**
 * Opens the folder. Checks its files for damage, and its format.
 * @throws {DataFolderRefused}
 */
export async function openFolder(
  folder: string,
  { openLevel = openLevelDb, forRepair = false, isRepaired = false }: FolderOptions = {},
): Promise<LevelDb> {
  const damage = await findFolderDamage(folder)
  if (damage) {
    await refuseInUse(folder)
    throw damaged(damage)
  }
  const level = await refuseClearly(openLevel(folder))
  try {
    await checkFormat(level, forRepair, isRepaired)
    return level
  } catch (error) {
    await level.close()
    throw error
  }
}

/** @throws {DataFolderRefused} if another process uses the folder */
export async function refuseInUse(folder: string): Promise<void> {
  // LevelDB takes the lock first, and then refuses the folder because it exists: nothing is changed.
  await tryToOpen(folder, { errorIfExists: true }).catch(error => {
    if (codeOf(error) === 'LEVEL_LOCKED') throw inUse(error)
  })
}

async function refuseClearly(opening: Promise<LevelDb>): Promise<LevelDb> {
  try {
    return await opening
  } catch (error) {
    const code = codeOf(error)
    const message = (error as { cause?: Error }).cause?.message ?? ''
    if (code === 'LEVEL_LOCKED') throw inUse(error)
    let reason = ''
    if (/no space left|disk quota/i.test(message)) reason = ', as the disk is full: make room first'
    else if (/permission denied/i.test(message)) reason = ': permission denied for files of this folder'
    else if (code?.startsWith('LEVEL_')) throw damaged(undefined, error)
    throw new DataFolderRefused(`The data folder cannot be opened${reason}.`, { cause: error })
  }
}

const codeOf = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code

const inUse = (cause: unknown) =>
  new DataFolderRefused('The data folder is in use by another process.', { cause })

function damaged(damage?: Damage, cause?: unknown): DataFolderDamaged {
  const place = damage && ` (${damage.file}${damage.at === undefined ? '' : ` at byte ${damage.at}`})`
  return new DataFolderDamaged(
    `The data folder is damaged${place ?? ''}: restore it from a backup, or run surrogate-server reindex --repair, which keeps what is intact.`,
    { cause },
  )
}

async function checkFormat(level: LevelDb, forRepair: boolean, isRepaired: boolean): Promise<void> {
  const found = await level.get(formatKey)
  if (found === undefined) {
    const [stranger] = await level.keys({ limit: 1 }).all()
    if (stranger === undefined) return writeFormat(level)
    if (!isRepaired) throw new DataFolderRefused('The data folder holds a database of another program.')
    // It may have had the earlier format, whose index has to be rebuilt.
    await level.put(formatKey, Buffer.from(String(formatWithRegistry)), { sync: true })
    return
  }
  const version = Number(found.toString())
  if (version === formatWithRegistry) {
    if (forRepair) return
    const [entry] = await level.keys({ ...registryKeys, limit: 1 }).all()
    // Without an entry no token ever had several containers.
    if (entry === undefined) return writeFormat(level)
    throw new DataFolderRefused(
      'The data folder was written by an earlier version, and its tokens with several containers have to be indexed anew: run surrogate-server reindex --repair on it.',
    )
  }
  if (version !== format) {
    throw new DataFolderRefused(
      `The data folder has format ${found}, and this server reads format ${format}: use the server that wrote it.`,
    )
  }
}

/** Records that the folder has this version's format: it is new, or was repaired. */
export async function writeFormat(level: LevelDb): Promise<void> {
  await level.put(formatKey, Buffer.from(String(format)), { sync: true })
}
