import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file atomically, so that it survives a power failure. Only its owner may read it. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    // An earlier draft may have had other permissions.
    await handle.chmod(0o600)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  await syncFolder(dirname(file))
}

/** Syncs a folder, without which new files in it do not survive a power failure. Some systems cannot, and ignore it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  try {
    await handle?.sync().catch(() => {})
  } finally {
    await handle?.close()
  }
}
