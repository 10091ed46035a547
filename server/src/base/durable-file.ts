import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file, whole or not at all, so that it outlasts a power failure. Only its owner may read it. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    // One of before may have been open to others.
    await handle.chmod(0o600)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  await syncFolder(dirname(file))
}

/** What was made in a folder outlasts a power failure only when the folder is on disk too. Not every system syncs folders. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  try {
    await handle?.sync().catch(() => {})
  } finally {
    await handle?.close()
  }
}
