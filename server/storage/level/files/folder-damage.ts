import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findLogDamage } from './log-damage.ts'

export const isLog = (name: string) => /^\d+\.log$/.test(name)
export const isTable = (name: string) => /^\d+\.(ldb|sst)$/.test(name)

/** Names the first file that damage was found in, and says where. */
export type Damage = { readonly file: string; readonly at?: number }

/**
 * Looks for damage that LevelDB would pass over in silence when it opens the folder: in the logs, in the list of
 * tables, and where the name of that list is missing, for which LevelDB would begin a new one and remove all tables.
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
  if (manifest === undefined || !names.includes(manifest)) return { file: 'CURRENT' }
  return damageOf(folder, manifest)
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
