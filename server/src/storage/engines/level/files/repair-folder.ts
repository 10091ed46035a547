import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../../../base/durable-file.ts'
import { repairLevelDb, tryToOpen } from '../leveldb.ts'
import { findDamagedLogs, findListDamage, ifThere, isTable } from './folder-damage.ts'
import { encodeLog, headerBytes, intactRecords } from './log-format.ts'
import { findTableDamage } from './table-damage.ts'

/** The amount of data that a repair could not keep. */
export interface Losses {
  /** Bytes of logs, which hold the latest writes. */
  readonly logBytes: number
  /** Blocks of tables. */
  readonly blocks: number
  /** True if the list of tables was damaged, and was rebuilt from all tables. */
  readonly list: boolean
}

/** The subfolder for originals of changed files, as LevelDB's own repair uses. */
const lost = 'lost'

/** Counts blocks of the tables whose checksum does not match. Reads all data. */
export async function countDamagedBlocks(folder: string): Promise<number> {
  let blocks = 0
  for await (const { places } of damagedTables(folder)) blocks += places.length
  return blocks
}

/**
 * Repairs a damaged folder so that it can be opened, with all intact data. No other process may use it. May be
 * repeated if it was cut off. Inconsistencies that remain are found by verifying the index.
 */
export async function repairFolder(folder: string): Promise<Losses> {
  let logBytes = 0
  for (const { file } of await findDamagedLogs(folder)) {
    const bytes = await readFile(join(folder, file))
    // A damaged byte loses only its record.
    const intact = [...intactRecords(bytes)]
    await keepOriginal(folder, file)
    await writeDurably(join(folder, file), encodeLog(intact.map(parts => Buffer.concat(parts))))
    logBytes += bytes.length
    for (const part of intact.flat()) logBytes -= headerBytes + part.length
  }
  let blocks = 0
  for await (const { file, bytes, places } of damagedTables(folder)) {
    await keepOriginal(folder, file)
    // LevelDB's repair checks no checksums, but skips blocks of an unknown type such as 0xff.
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
  // With a suffix, as LevelDB's repair moves files to `lost` under their own name.
  const kept = join(folder, lost, `${file}.damaged`)
  // Never overwritten: a repair that was cut off may have changed the file already.
  await copyFile(join(folder, file), kept, constants.COPYFILE_EXCL).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
}
