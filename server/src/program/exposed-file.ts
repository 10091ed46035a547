import { stat } from 'node:fs/promises'

/** Permission bits of everyone but the file's owner. */
const others = 0o077

/**
 * Returns a warning if other users of the machine may read or change a file with keys. Windows has no such permissions.
 *
 * @param role names the file in the warning, such as "the master key"
 */
export async function warnIfExposed(role: string, file: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined
  const status = await stat(file).catch(() => undefined)
  if (!status?.isFile() || (status.mode & others) === 0) return undefined
  return `${role} ${file} is open to other users of this machine and holds keys: chmod 600 ${file}`
}
