import { copyFile, link, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isInUse } from './leveldb.ts'

const mostAttempts = 50
const prefix = 'backup-'

/**
 * Makes a folder with the state that a LevelDB has now, while another process may be writing to it. Tables never change,
 * so they are linked and take no room; the rest is copied.
 *
 * It is one state if the folder had the same files before and after: LevelDB never uses a name again, and makes a new file
 * for each log, table and list of tables. The end of the last log may be missing, as after a crash.
 * @param beside the folder to make it in, best of the same file system
 */
export async function freezeFolder(from: string, beside: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const to = await mkdtemp(join(beside, prefix))
    try {
      const names = await filesOf(from)
      for (const name of names) await linkOrCopy(join(from, name), join(to, name))
      if (`${await filesOf(from)}` === `${names}`) return to
      throw Object.assign(new Error('the files have changed meanwhile'), { code: 'ENOENT' })
    } catch (error) {
      await rm(to, { recursive: true, force: true })
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === mostAttempts) throw error
    }
  }
}

/** Removes the folders of processes that were killed. */
export async function removeLeftovers(beside: string): Promise<void> {
  for (const name of await readdir(beside)) {
    const folder = join(beside, name)
    if (name.startsWith(prefix) && !(await isInUse(folder)))
      await rm(folder, { recursive: true, force: true })
  }
}

/** The log last, as only its end changes. */
async function filesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter(name => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/.test(name))
  return names.sort((a, b) => Number(isLog(a)) - Number(isLog(b)) || (a < b ? -1 : 1))
}

const isLog = (name: string) => name.endsWith('.log')

/** Not every file system has links, and the folder may be a mount of its own. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  if (from.endsWith('.ldb')) {
    const isLinked = await link(from, to).then(
      () => true,
      error => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
        return false
      },
    )
    if (isLinked) return
  }
  await copyFile(from, to)
}
