import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemRandom } from '../../../base/random.ts'

const probeName = 'PROBE'
/** For the new list of tables, and the index and filter of each table. */
const spareBytes = 1 << 20
const pieceBytes = 1 << 20

/** Writes to a file; tests replace it to cause failures. */
export type WriteProbe = (file: FileHandle, piece: Buffer) => Promise<{ readonly bytesWritten: number }>

/**
 * Reserves the disk space that LevelDB needs to open a folder, where it writes its log to tables: twice the size of
 * the log, as other processes may fill the disk too. A store that failed to write can still be read, but if it were
 * closed and could not be opened again, it could not. So the space is released between closing and opening,
 * with the function that this returns.
 * @throws if there is not enough space
 */
export async function takeRoom(
  folder: string,
  write: WriteProbe = (file, piece) => file.write(piece),
): Promise<() => Promise<void>> {
  const path = join(folder, probeName)
  // Random bytes, as some file systems compress.
  const piece = Buffer.from(systemRandom().bytes(pieceBytes))
  const release = () => rm(path, { force: true })
  try {
    const file = await open(path, 'w')
    try {
      for (let left = 2 * (await logBytes(folder)) + spareBytes; left > 0; ) {
        // A full disk writes a part of the bytes without an error.
        const { bytesWritten } = await write(file, piece.subarray(0, left))
        if (bytesWritten === 0) throw new Error('no space left on the device')
        left -= bytesWritten
      }
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await release()
    throw error
  }
  return release
}

async function logBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) bytes += (await stat(join(folder, name))).size
  }
  return bytes
}
