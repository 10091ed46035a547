import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chown, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, findPostgres, folderOf, PostgresUnavailable, unprivilegedAccount } from './binaries.ts'
import { guardFolder, launchPostmaster, NotStarted, type Postmaster } from './postmaster.ts'

const execute = promisify(execFile)

export interface PostgresOptions {
  /** Commits survive a crash of the machine, as in production. By default commits do not wait for the disk. */
  readonly durable?: boolean
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
  /** Its main process; all others are its children. */
  readonly pid: number
  /** Stops it and removes its data. */
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
  const folder = await folderOf(account)
  const guard = guardFolder(folder)
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
    const password = options.password ?? randomBytes(12).toString('hex')
    await makeCluster(bin, account, folder, password)
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
      get pid() {
        return postmaster.pid
      },
      close: guard.end,
    }
  } catch (error) {
    await guard.end()
    if (error instanceof NotStarted) throw new PostgresUnavailable(error.message)
    throw error
  }
}

/** Creates a cluster with this password of its only user. */
async function makeCluster(bin: string, account: Account, folder: string, password: string): Promise<void> {
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
  await rm(file)
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
