import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** For the new list of tables, and the index and filter of each table. */
const spareBytes = 1 << 20

/**
 * Returns true if the disk has room for opening the folder, where LevelDB writes its log to tables: twice the size of the
 * log, as other processes may fill the disk too. A store that failed to write can still be read; closed, and not opened
 * again, it could not.
 */
export async function hasRoomToOpen(folder: string): Promise<boolean> {
  return (await missingRoom(folder)) < 0
}

/** Returns how many bytes the disk lacks for opening the folder. */
export async function missingRoom(folder: string): Promise<number> {
  let neededBytes = spareBytes
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) neededBytes += 2 * (await stat(join(folder, name))).size
  }
  const { bavail, bsize } = await statfs(folder)
  return neededBytes - bavail * bsize
}
