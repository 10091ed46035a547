import { spawnSync } from 'node:child_process'
import { chown, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresUnavailable } from './unavailable.ts'

/** The account for child processes; empty for our own. Part of the options of `spawn`. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

const names = ['postgres', 'nobody']

/** Returns another account if we are root, as PostgreSQL refuses to run as root. */
export async function unprivilegedAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map(line => line.split(':'))
  for (const name of names) {
    const [uid, gid] = (accounts.find(([one]) => one === name)?.slice(2, 4) ?? []).map(Number)
    if (uid !== undefined && uid > 0 && gid !== undefined && gid > 0) return { uid, gid }
  }
  throw new PostgresUnavailable(
    `PostgreSQL refuses to run as root, and there is no account ${names.join(' or ')}`,
  )
}

/** Creates a folder that belongs to the account, in a place that it can access. */
export async function folderOf(account: Account): Promise<string> {
  const places = [tmpdir(), '/tmp', '/var/tmp']
  const place = places.find(place => spawnSync('/bin/sh', ['-c', 'cd "$0"', place], account).status === 0)
  if (place === undefined) throw new PostgresUnavailable(`other accounts cannot access ${places.join(', ')}`)
  const folder = await mkdtemp(join(place, 'surrogate-postgres-'))
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid)
  return folder
}
