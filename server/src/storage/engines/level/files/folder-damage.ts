import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findLogDamage } from './log-damage.ts'
import { readListedFiles } from './version-edits.ts'

export const isLog = (name: string) => /^\d+\.log$/.test(name)
export const isTable = (name: string) => /^\d+\.(ldb|sst)$/.test(name)

/** A damaged file and the position of the damage; without a position it is missing or unreadable. */
export type Damage = { readonly file: string; readonly at?: number }

/**
 * Finds damage that LevelDB would silently ignore when it opens the folder: a damaged log or list of tables, a missing
 * log, or a missing `CURRENT`, without which LevelDB would begin an empty list and remove all tables.
 */
export async function findFolderDamage(folder: string): Promise<Damage | undefined> {
  return (await findListDamage(folder)) ?? (await findDamagedLogs(folder)).at(0)
}

/** Finds damage in the list of tables. */
export async function findListDamage(folder: string): Promise<Damage | undefined> {
  const names = await namesIn(folder)
  const current = await read(folder, 'CURRENT')
  if (!current) return names.some(name => isLog(name) || isTable(name)) ? { file: 'CURRENT' } : undefined
  const manifest = /^(MANIFEST-\d+)\n$/.exec(current.toString('latin1'))?.[1]
  const list = manifest === undefined ? undefined : await read(folder, manifest)
  if (manifest === undefined || !list) return { file: 'CURRENT' }
  const at = await findLogDamage(list)
  if (at !== undefined) return { file: manifest, at }
  // LevelDB does not report a missing log.
  const log = readListedFiles(list)?.oldestLog
  if (log === undefined) return { file: manifest }
  const isThere = log === 0 || names.some(name => isLog(name) && Number.parseInt(name, 10) === log)
  return isThere ? undefined : { file: `${String(log).padStart(6, '0')}.log` }
}

export async function findDamagedLogs(folder: string): Promise<readonly Damage[]> {
  const found: Damage[] = []
  for (const file of (await namesIn(folder)).filter(isLog)) {
    const bytes = await read(folder, file)
    const at = bytes && (await findLogDamage(bytes))
    if (at !== undefined) found.push({ file, at })
  }
  return found
}

async function namesIn(folder: string): Promise<string[]> {
  return (await ifThere(readdir(folder))) ?? []
}

const read = (folder: string, name: string) => ifThere(readFile(join(folder, name)))

/** Returns `undefined` for a missing file: LevelDB may have removed it in the meantime, which is not damage. */
export async function ifThere<Content>(reading: Promise<Content>): Promise<Content | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
