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
  /** Commits survive a crash of the machine, as in production. By default commits do not wait for the disk. */
  readonly durable?: boolean
  /**
   * The folder of its data, which stay there: missing, empty, or with the data of an earlier server that was closed.
   * Anyone who can read the folder can read the data.
   */
  readonly folder?: string
  /** Further settings of the server, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** A PostgreSQL to run, with `bin` in it; by default any that is found. */
  readonly program?: string
  /** The password of its user, with which the server itself connects to others; by default a new one. */
  readonly password?: string
}

/** A PostgreSQL server for a test. It listens on this machine only, and ends with the test's process. */
export interface PostgresServer {
  /** `postgres://user:password@127.0.0.1:port/database`, the same after each `start`; the user is a superuser. */
  readonly url: string
  /** Stops it as an operator does: aborts running transactions, and writes committed data to disk. */
  stop(): Promise<void>
  /** Kills it as a crash does. Running queries may still finish. */
  kill(): Promise<void>
  /** Starts it again, on its data and its port. */
  start(): Promise<void>
  /** Stops it and removes its data, unless they have a folder of their own. */
  close(): Promise<void>
}

const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const user = 'surrogate'

/**
 * Creates a cluster in a temporary folder and starts it, which takes about a second.
 *
 * @throws {PostgresUnavailable} if that is not possible on this machine
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const account = await unprivilegedAccount()
  const bin = join(options.program ?? (await findPostgres(account)), 'bin')
  const own = await folderOf(account)
  const guard = guardFolder(own)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    // Many tests cause errors, whose messages reach the client anyway.
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
    const password =
      (await passwordOf(folder)) ??
      (await makeCluster(bin, account, folder, folder !== own, options.password))
    const launch = (port: number) =>
      launchPostmaster(
        join(bin, 'postgres'),
        ['-D', join(folder, 'data'), '-p', String(port), ...flags],
        account,
        pid => guard.watch(pid),
        options.password === undefined ? {} : { PGPASSWORD: options.password },
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
        // A clean stop, so that data that stay need no recovery.
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

/** Reads the password of an existing cluster. It is useful only on this machine while the server runs. */
async function passwordOf(folder: string): Promise<string | undefined> {
  // Without this file the cluster was not created completely.
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) return undefined
  return readFile(join(folder, 'password'), 'utf8')
}

/** Creates a cluster. @returns the password of its only user */
async function makeCluster(
  bin: string,
  account: Account,
  folder: string,
  stays: boolean,
  password = randomBytes(12).toString('hex'),
): Promise<string> {
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
    throw new PostgresUnavailable(`initdb failed: ${said ?? 'no message'}`)
  }
  if (!stays) await rm(file)
  return password
}

/** Uses ports below the ephemeral range, so that no other program gets the port while the server is stopped. */
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

/** Retries while processes of the killed server still use its shared memory. */
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
