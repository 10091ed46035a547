import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemRandom } from '../../../base/random.ts'

const probeName = 'PROBE'
/** The list of tables is written anew, and every table of a log has an index and a filter. */
const spareBytes = 1 << 20
const pieceBytes = 1 << 20

/** Writes to a file; tests put failures in. */
export type WriteProbe = (file: ProbeFile, piece: Buffer) => Promise<{ readonly bytesWritten: number }>
export type ProbeFile = Awaited<ReturnType<typeof open>>

/** Room that is taken until it is given back. */
export interface TakenRoom {
  release(): Promise<void>
}

/**
 * Takes as much room as LevelDB needs to open a folder, without touching LevelDB: it writes its log anew as tables.
 * Twice that, as others may fill the disk as well. While there is not as much, the store that failed to write can
 * still be read; closed and not opened again it could not. So the room is given back only then.
 * @throws where there is no room
 */
export async function takeRoom(folder: string, write: WriteProbe = writeOnce): Promise<TakenRoom> {
  const path = join(folder, probeName)
  // Random, as some file systems compress.
  const piece = Buffer.from(systemRandom().bytes(pieceBytes))
  const release = () => rm(path, { force: true })
  try {
    const file = await open(path, 'w')
    try {
      for (let left = 2 * (await logBytes(folder)) + spareBytes; left > 0; ) {
        // A disk that fills up takes a part of a write, and says so by nothing else.
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
  return { release }
}

const writeOnce: WriteProbe = (file, piece) => file.write(piece)

async function logBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) bytes += (await stat(join(folder, name))).size
  }
  return bytes
}
