import { spawnSync } from 'node:child_process'
import { chown, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresUnavailable } from './unavailable.ts'

/** As whom processes are started; empty for ourselves. Fits the options of `spawn`. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

const names = ['postgres', 'nobody']

/** PostgreSQL refuses to run as root, so then it gets another account of the machine. */
export async function unprivilegedAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map(line => line.split(':'))
  for (const name of names) {
    const [uid, gid] = (accounts.find(([one]) => one === name)?.slice(2, 4) ?? []).map(Number)
    if (uid !== undefined && uid > 0 && gid !== undefined && gid > 0) return { uid, gid }
  }
  throw new PostgresUnavailable(
    `root may not run PostgreSQL, and has no account ${names.join(' or ')} for it`,
  )
}

/** A new empty folder of the account's own, in a place that it reaches. */
export async function folderOf(account: Account): Promise<string> {
  const places = [tmpdir(), '/tmp', '/var/tmp']
  const place = places.find(place => spawnSync('/bin/sh', ['-c', 'cd "$0"', place], account).status === 0)
  if (place === undefined) throw new PostgresUnavailable(`${places.join(', ')} are closed to other accounts`)
  const folder = await mkdtemp(join(place, 'surrogate-postgres-'))
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid)
  return folder
}
