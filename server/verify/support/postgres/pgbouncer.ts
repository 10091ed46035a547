import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../free-port.ts'
import { folderOf, unprivilegedAccount } from './binaries.ts'
import { guardFolder } from './postmaster.ts'

export type PoolMode = 'session' | 'transaction' | 'statement'

/** Debian's package has it where accounts other than root may not look for programs. */
const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find(one => spawnSync(one, ['--version']).status === 0)

/** The reason to skip tests that need PgBouncer, if it is not installed. */
export const withoutPgBouncer: string | undefined =
  program === undefined ? 'pgbouncer is not installed' : undefined

/** Starts PgBouncer in front of the server of a URL. It ends with the test. @returns the URL by which it is reached */
export async function startPgBouncer(
  t: { teardown(task: () => unknown): void },
  url: string,
  mode: PoolMode,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const account = await unprivilegedAccount()
  const folder = await folderOf(account)
  const guard = guardFolder(folder)
  t.teardown(() => guard.end())
  const { hostname, port: serverPort, username, password } = new URL(url)
  const port = await freePort()
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    max_client_conn: '500',
    ...settings,
  }
  const text = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
  ]
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, `${text.join('\n')}\n`, { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined) await chown(file, account.uid, account.gid)
  if (program === undefined) throw new Error(withoutPgBouncer)
  const child = spawn(program, [file], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  guard.watch(child.pid)
  const gone = once(child, 'exit').then(() => guard.watch(undefined))
  const said: string[] = []
  const isUp = await new Promise<boolean>(resolve => {
    const output = createInterface({ input: child.stderr })
    output.on('line', line => {
      said.push(line)
      if (line.includes('process up')) resolve(true)
    })
    output.on('close', () => resolve(false))
  })
  if (!isUp) throw new Error(`pgbouncer did not start: ${said.at(-1)}`)
  child.unref()
  t.teardown(async () => {
    child.ref()
    child.kill('SIGTERM')
    await gone
  })
  return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href
}
