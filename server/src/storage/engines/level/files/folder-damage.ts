import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findLogDamage } from './log-damage.ts'
import { readLogNumber } from './version-edits.ts'

export const isLog = (name: string) => /^\d+\.log$/.test(name)
export const isTable = (name: string) => /^\d+\.(ldb|sst)$/.test(name)

/** The first file in which damage was found, and where; without a place the file is missing or makes no sense. */
export type Damage = { readonly file: string; readonly at?: number }

/**
 * Looks for damage that LevelDB would pass over in silence when it opens the folder: in a log or in
 * the list of tables, a log that is missing, and a missing name of that list, for which LevelDB would begin a new one
 * and remove all tables.
 */
export async function findFolderDamage(folder: string): Promise<Damage | undefined> {
  return (await findListDamage(folder)) ?? (await findDamagedLogs(folder)).at(0)
}

/** Damage of the list of tables. */
export async function findListDamage(folder: string): Promise<Damage | undefined> {
  const names = await namesIn(folder)
  const current = await read(folder, 'CURRENT')
  if (!current) return names.some(name => isLog(name) || isTable(name)) ? { file: 'CURRENT' } : undefined
  const manifest = /^(MANIFEST-\d+)\n$/.exec(current.toString('latin1'))?.[1]
  const list = manifest === undefined ? undefined : await read(folder, manifest)
  if (manifest === undefined || !list) return { file: 'CURRENT' }
  const at = await findLogDamage(list)
  if (at !== undefined) return { file: manifest, at }
  const log = readLogNumber(list)
  if (log === undefined) return { file: manifest }
  const isThere = log === 0 || names.some(name => isLog(name) && Number.parseInt(name, 10) === log)
  return isThere ? undefined : { file: `${String(log).padStart(6, '0')}.log` }
}

export async function findDamagedLogs(folder: string): Promise<readonly Damage[]> {
  const found: Damage[] = []
  for (const name of (await namesIn(folder)).filter(isLog)) {
    const damage = await damageOf(folder, name)
    if (damage) found.push(damage)
  }
  return found
}

async function damageOf(folder: string, file: string): Promise<Damage | undefined> {
  const bytes = await read(folder, file)
  const at = bytes && (await findLogDamage(bytes))
  return at === undefined ? undefined : { file, at }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await ifThere(readdir(folder))) ?? []
}

const read = (folder: string, name: string) => ifThere(readFile(join(folder, name)))

/** `undefined` for a file that is gone. What LevelDB removes meanwhile is not damage. */
export async function ifThere<Content>(reading: Promise<Content>): Promise<Content | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
