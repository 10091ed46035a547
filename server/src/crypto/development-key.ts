import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../base/durable-file.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Random } from '../base/random.ts'
import { decodeText } from '../base/utf8.ts'
import { keyLength } from './envelope.ts'

const fileName = 'master.key'

/** Thrown for a key file without a valid key; the message is for the operator. */
export class UnreadableMasterKey extends OperatorError {
  override readonly name = 'UnreadableMasterKey'
}

/**
 * Reads or creates the master key that a development server keeps beside its data. It protects only copies of
 * the store that do not include it, so a production server gets its key from outside.
 */
export async function developmentMasterKey(
  folder: string,
  random: Random,
): Promise<{ readonly key: Uint8Array; readonly made: boolean; readonly file: string }> {
  const file = join(folder, fileName)
  const kept = await readDevelopmentMasterKey(folder)
  await keepFromGit(folder)
  if (kept) return { key: kept, made: false, file }
  const key = random.bytes(keyLength)
  await writeDevelopmentMasterKey(folder, key)
  return { key, made: true, file }
}

/** The data and their key must not be committed with the project that the folder is in. An own file stays as it is. */
async function keepFromGit(folder: string): Promise<void> {
  const lines = [
    '# made by surrogate-server --dev',
    '/.gitignore',
    '/master.key*',
    '/store/',
    '/backup-*/',
    '',
  ]
  await writeFile(join(folder, '.gitignore'), lines.join('\n'), { flag: 'wx' }).catch(() => {})
}

/** Returns the key beside the data, if there is one. @throws {UnreadableMasterKey} */
export async function readDevelopmentMasterKey(folder: string): Promise<Uint8Array | undefined> {
  const kept = await readFile(join(folder, fileName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (kept === undefined) return undefined
  const text = decodeText(kept, `${fileName} in the data folder`)
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === keyLength) return key
  throw new UnreadableMasterKey(`${fileName} in the data folder is not ${keyLength} bytes in base64`)
}

export async function writeDevelopmentMasterKey(folder: string, key: Uint8Array): Promise<void> {
  // Data sealed under a key that was half written would be lost.
  await writeDurably(join(folder, fileName), `${Buffer.from(key).toString('base64')}\n`)
}
