import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const probeName = 'PROBE'
const spareBytes = 256 << 10

/**
 * Finds out whether a folder takes writes again, without touching LevelDB. Opening it writes its log anew as
 * a table, so that is how much room there has to be. While there is none, the store that failed to write can
 * still be read; closed and not opened again it could not.
 */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, probeName)
  try {
    const file = await open(path, 'w')
    try {
      await file.write(Buffer.alloc((await logBytes(folder)) + spareBytes, 1))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}

async function logBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder)) {
    if (name.endsWith('.log')) bytes += (await stat(join(folder, name))).size
  }
  return bytes
}
