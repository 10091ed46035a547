import { DataFolderDamaged, DataFolderRefused } from './data-folder-errors.ts'
import { type Damage, findFolderDamage } from './files/folder-damage.ts'
import { formatKey } from './keys.ts'
import { type LevelDb, openLevelDb, tryToOpen } from './leveldb.ts'

/**
 * The version of the layout in keys.ts and record.ts, of digests and of what boxes are bound to. It changes when servers
 * cannot read each other's folders. Before 2, digests had four bits more than 16 bytes. Before 3, tokens with several
 * containers had other terms. Before 4, boxes were not bound to the times of their document, and tokens had no term by
 * which deduplication finds them. Before 5, times of creation had no keys of their own, no address began with the time of
 * its id, and tokens with capitals in theirs had no term in common.
 */
const format = 5

interface FolderOptions {
  readonly openLevel?: ((folder: string) => Promise<LevelDb>) | undefined
  /** The folder is ours, even if its format number was lost. */
  readonly isRepaired?: boolean | undefined
}

/**
 * Opens the folder. Checks its files for damage, and its format.
 * @throws {DataFolderRefused}
 */
export async function openFolder(
  folder: string,
  { openLevel = openLevelDb, isRepaired = false }: FolderOptions = {},
): Promise<LevelDb> {
  const damage = await findFolderDamage(folder)
  if (damage) {
    await refuseInUse(folder)
    throw damaged(damage)
  }
  const level = await refuseClearly(openLevel(folder))
  try {
    await checkFormat(level, isRepaired)
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

async function checkFormat(level: LevelDb, isRepaired: boolean): Promise<void> {
  const found = await level.get(formatKey)
  if (found === undefined) {
    const [stranger] = await level.keys({ limit: 1 }).all()
    if (stranger === undefined || isRepaired) return writeFormat(level)
    throw new DataFolderRefused('The data folder holds a database of another program.')
  }
  if (Number(found.toString()) !== format) {
    throw new DataFolderRefused(
      `The data folder has format ${found}, and this server reads format ${format}: use the server that wrote it.`,
    )
  }
}

async function writeFormat(level: LevelDb): Promise<void> {
  await level.put(formatKey, Buffer.from(String(format)), { sync: true })
}
