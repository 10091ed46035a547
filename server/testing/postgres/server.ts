import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, folderOf, unprivilegedAccount } from './account.ts'
import { findPostgres } from './binaries.ts'
import { guardFolder } from './guard.ts'
import { launchPostmaster, NotStarted, type Postmaster } from './postmaster.ts'
import { PostgresUnavailable } from './unavailable.ts'

const execute = promisify(execFile)

export interface PostgresOptions {
  /** What was committed outlives the death of the machine, as in production; by default nothing waits for the disk. */
  readonly durable?: boolean
  /**
   * Where its data is to be and to stay: empty or not there, or left there by an earlier server that was closed.
   * Whoever may read the folder may read the data.
   */
  readonly folder?: string
  /** Further settings of the server, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A PostgreSQL of a test's own. It listens on this machine only, and is gone when the test's process is. */
export interface PostgresServer {
  /** `postgres://user:password@127.0.0.1:port/database`, the same after each `start`; the user may do all. */
  readonly url: string
  /** Ends it as an operator does: what is under way is cut off, what was committed is on disk. */
  stop(): Promise<void>
  /** Ends it as a crash does. Whoever is in a query may finish that before noticing. */
  kill(): Promise<void>
  /** Starts it again, on its data and its port. */
  start(): Promise<void>
  /** Ends it and removes its data, unless they have a folder to stay in. */
  close(): Promise<void>
}

const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const user = 'surrogate'

/**
 * Makes a cluster in a temporary folder and starts it, which takes about a second.
 *
 * @throws {PostgresUnavailable} where that cannot be done on this machine
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const account = await unprivilegedAccount()
  const bin = join(await findPostgres(account), 'bin')
  const own = await folderOf(account)
  const guard = guardFolder(own)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    // Refusals are part of many tests; what they say reaches the client.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...(options.durable ? {} : volatile),
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  try {
    const folder = options.folder ?? own
    if (folder !== own) await ownFolder(folder, account)
    const password = (await passwordOf(folder)) ?? (await makeCluster(bin, account, folder, folder !== own))
    const launch = (port: number) =>
      launchPostmaster(
        join(bin, 'postgres'),
        ['-D', join(folder, 'data'), '-p', String(port), ...flags],
        account,
        pid => guard.watch(pid),
      )
    let [port, postmaster] = await onFreePort(launch)
    return {
      url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
      stop: () => postmaster.end('SIGINT'),
      kill: () => postmaster.end('SIGKILL'),
      start: async () => {
        postmaster = await afterOthersLeft(() => launch(port))
      },
      close: async () => {
        // Data that stay are to be ready when they are needed again.
        if (folder !== own) await postmaster.end('SIGINT')
        await guard.end()
      },
    }
  } catch (error) {
    await guard.end()
    if (error instanceof NotStarted) throw new PostgresUnavailable(error.message)
    throw error
  }
}

async function ownFolder(folder: string, { uid, gid }: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/** Of a cluster that stayed; it is of no use but on this machine while a server runs on it. */
async function passwordOf(folder: string): Promise<string | undefined> {
  // A cluster that could not be made has left none.
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) return undefined
  return readFile(join(folder, 'password'), 'utf8')
}

/** @returns the password of the one user */
async function makeCluster(bin: string, account: Account, folder: string, stays: boolean): Promise<string> {
  const password = randomBytes(12).toString('hex')
  const file = join(folder, 'password')
  await writeFile(file, password, { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined) await chown(file, account.uid, account.gid)
  const flags = [
    `--pgdata=${join(folder, 'data')}`,
    `--username=${user}`,
    `--pwfile=${file}`,
    '--auth=password',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ]
  try {
    await execute(join(bin, 'initdb'), flags, { ...account, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const said = stderr.split('\n').find(line => /error|fatal|could not/i.test(line))
    throw new PostgresUnavailable(`no cluster could be made: ${said ?? 'initdb said nothing'}`)
  }
  if (!stays) await rm(file)
  return password
}

/** Below the ports that systems give out, so that nobody is given this one while the server is down. */
async function onFreePort(launch: (port: number) => Promise<Postmaster>): Promise<[number, Postmaster]> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(20_000, 32_000)
    try {
      return [port, await launch(port)]
    } catch (error) {
      if (
        !(error instanceof NotStarted) ||
        tries === 10 ||
        !/could not (bind|create any TCP)/.test(error.message)
      )
        throw error
    }
  }
}

/** A killed server's processes end by and by, and until then their memory is in use. */
async function afterOthersLeft(launch: () => Promise<Postmaster>): Promise<Postmaster> {
  const giveUp = Date.now() + 10_000
  for (;;) {
    try {
      return await launch()
    } catch (error) {
      if (!(error instanceof NotStarted) || Date.now() > giveUp || !error.message.includes('still in use'))
        throw error
    }
  }
}
