import { copyFile, link, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refuseInUse } from '../open.ts'
import { isLog, isTable } from './folder-damage.ts'
import { readListedFiles } from './version-edits.ts'

const mostAttempts = 50
const prefix = 'backup-'

/**
 * Makes a folder with the state that a LevelDB has now, while another process may be writing to it. Tables never change,
 * so they are linked and take no room. Logs are copied: they have each write that was answered and is not in a table.
 *
 * It is one state because the list of tables is read first. Where a file that it needs was removed since then, its
 * content is in a newer table, and the attempt begins again. A log is complete when a later one exists, and the end of
 * the last one may be missing, as after a crash.
 * @param beside the folder to make it in, best of the same file system
 */
export async function freezeFolder(from: string, beside: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const to = await mkdtemp(join(beside, prefix))
    try {
      await freeze(from, to)
      return to
    } catch (error) {
      await rm(to, { recursive: true, force: true })
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === mostAttempts) throw error
    }
  }
}

/** Removes the folders of processes that were killed. */
export async function removeLeftovers(beside: string): Promise<void> {
  for (const name of (await readdir(beside)).filter(name => name.startsWith(prefix))) {
    const folder = join(beside, name)
    const isUsed = await refuseInUse(folder).then(
      () => false,
      () => true,
    )
    if (!isUsed) await rm(folder, { recursive: true, force: true })
  }
}

async function freeze(from: string, to: string): Promise<void> {
  const current = await readFile(join(from, 'CURRENT'), 'latin1')
  const list = current.trim()
  const content = await readFile(join(from, list))
  const { oldestLog = 0, tables = new Set<number>() } = readListedFiles(content) ?? {}
  const names = await readdir(from)
  const listed = names.filter(name => isTable(name) && tables.has(numberOf(name)))
  const logs = names.filter(name => isLog(name) && numberOf(name) >= oldestLog)
  const isWhole = oldestLog === 0 || logs.some(name => numberOf(name) === oldestLog)
  if (listed.length < tables.size || !isWhole) throw vanished()
  for (const name of listed) await linkOrCopy(join(from, name), join(to, name))
  for (const name of logs.sort((a, b) => numberOf(a) - numberOf(b)))
    await copyFile(join(from, name), join(to, name))
  await writeFile(join(to, list), content)
  await writeFile(join(to, 'CURRENT'), current)
}

/** Not every file system has links, and the folder may be a mount of its own. */
const linkOrCopy = (from: string, to: string) =>
  link(from, to).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    return copyFile(from, to)
  })

const numberOf = (name: string) => Number.parseInt(name, 10)

const vanished = () => Object.assign(new Error('a file was removed in the meantime'), { code: 'ENOENT' })
