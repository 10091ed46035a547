import { chmod, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../base/random.ts'
import { keyLength } from './envelope.ts'

/**
 * The master key a development server keeps beside its data. It protects copies of the store that travel
 * without it and nothing else, which is why a production server is given its key from outside.
 */
export async function developmentMasterKey(
  folder: string,
  random: Random,
): Promise<{ readonly key: Uint8Array; readonly made: boolean; readonly file: string }> {
  const file = join(folder, 'master.key')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (kept !== undefined) {
    const key = Buffer.from(kept.trim(), 'base64')
    if (key.length !== keyLength)
      throw new RangeError(`master.key in the data folder is not ${keyLength} bytes in base64`)
    return { key, made: false, file }
  }
  const key = random.bytes(keyLength)
  await writeDurably(file, `${Buffer.from(key).toString('base64')}\n`)
  return { key, made: true, file }
}

/** Whole or not at all: data sealed under half a key would be lost. */
async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(draft, 0o600)
  await rename(draft, file)
}
