import { stat } from 'node:fs/promises'

/** Permissions of anyone but the file's owner. */
const others = 0o077

/**
 * The line that warns of a file with keys that other users of the machine may read or change; `undefined` where
 * there is nothing to warn of. Windows has no such permissions.
 */
export async function warnOfExposed(what: string, file: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined
  const status = await stat(file).catch(() => undefined)
  if (!status?.isFile() || (status.mode & others) === 0) return undefined
  return `surrogate-server: warning: ${what} ${file} is open to other users of this machine and holds keys: chmod 600 ${file}\n`
}
