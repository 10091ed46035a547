import { copyFile, link, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isInUse } from './leveldb.ts'

const mostAttempts = 50
const prefix = 'backup-'

/**
 * Makes a folder with the state that a LevelDB has now, while another process may be writing to it. Tables never change, so
 * most are linked and take no room; the rest is copied.
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
      const logs = names.filter(name => /\.log$/.test(name)).map(numberOf)
      const firstLog = logs.length > 0 ? Math.min(...logs) : 0
      for (const name of names) {
        const isLinked =
          /\.ldb$/.test(name) &&
          numberOf(name) < firstLog &&
          (await tryToLink(join(from, name), join(to, name)))
        if (!isLinked) await copyFile(join(from, name), join(to, name))
      }
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

/** The list of tables first, so that each table in it is complete. Then tables, and logs, of which only the end changes. */
const order = [/^CURRENT$/, /^MANIFEST-\d+$/, /^\d+\.ldb$/, /^\d+\.log$/]

async function filesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort()
  return order.flatMap(pattern => names.filter(name => pattern.test(name)))
}

const numberOf = (name: string) => Number.parseInt(name, 10)

/**
 * Links a table. Only one that is older than all logs: the number of a later one may not be in the list yet, and then
 * whoever opens the copy would use it for a new table, and write into the file that both share.
 */
function tryToLink(from: string, to: string): Promise<boolean> {
  // Not every file system has links, and the folder may be a mount of its own.
  return link(from, to).then(
    () => true,
    error => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
      return false
    },
  )
}
