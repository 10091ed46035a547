import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../../../base/durable-file.ts'
import { repairLevelDb, tryToOpen } from '../leveldb.ts'
import { findDamagedLogs, findListDamage, ifThere, isTable } from './folder-damage.ts'
import { salvageLog } from './salvage-log.ts'
import { findTableDamage } from './table-damage.ts'

/** What a repair left out. Numbers only: what was in it nobody can say. */
export interface Losses {
  /** Of logs: what was written last before the folder was closed. */
  readonly logBytes: number
  /** Of tables. */
  readonly blocks: number
  /** The list of tables was damaged, and made anew from all there are. */
  readonly list: boolean
}

/** Where originals of what was changed are kept, as LevelDB's own repair does. */
const lost = 'lost'

/** How many blocks of the folder's tables do not fit their checksums. Reads all of the data. */
export async function countDamagedBlocks(folder: string): Promise<number> {
  let blocks = 0
  for await (const { places } of damagedTables(folder)) blocks += places.length
  return blocks
}

/**
 * Makes a damaged folder one that can be opened, with all that is intact. Nobody else may use it meanwhile. It may
 * be cut off and begun again. What disagrees afterwards the verification of the index finds.
 */
export async function repairFolder(folder: string): Promise<Losses> {
  let logBytes = 0
  for (const { file } of await findDamagedLogs(folder)) {
    const salvaged = salvageLog(await readFile(join(folder, file)))
    await keepOriginal(folder, file)
    await writeDurably(join(folder, file), salvaged.bytes)
    logBytes += salvaged.lostBytes
  }
  let blocks = 0
  for await (const { file, bytes, places } of damagedTables(folder)) {
    await keepOriginal(folder, file)
    // Unreadable, it is left out by LevelDB's repair, which looks at no checksum. No type is 0xff.
    for (const place of places) bytes[place] = 0xff
    await writeDurably(join(folder, file), bytes)
    blocks += places.length
  }
  const list = (await findListDamage(folder)) !== undefined || !(await canBeOpened(folder))
  if (list || blocks > 0) await repairLevelDb(folder)
  return { logBytes, blocks, list }
}

async function* damagedTables(folder: string) {
  for (const file of (await readdir(folder)).filter(isTable)) {
    const bytes = await ifThere(readFile(join(folder, file)))
    if (!bytes) continue
    const places = findTableDamage(bytes)
    if (places.length > 0) yield { file, bytes, places }
  }
}

function canBeOpened(folder: string): Promise<boolean> {
  return tryToOpen(folder).then(
    () => true,
    () => false,
  )
}

async function keepOriginal(folder: string, file: string): Promise<void> {
  await mkdir(join(folder, lost), { recursive: true, mode: 0o700 })
  // Not `file` alone: LevelDB's repair moves files of that name there.
  const kept = join(folder, lost, `${file}.damaged`)
  // The first one counts: a repair that was cut off has changed the file already.
  await copyFile(join(folder, file), kept, constants.COPYFILE_EXCL).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
}
