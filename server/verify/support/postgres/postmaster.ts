import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Account } from './account.ts'

/** The main process of a PostgreSQL server. */
export interface Postmaster {
  /** Sends a signal, and resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Thrown for a server that did not start; the message is its last line. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
}

/**
 * Starts the server, and resolves when it accepts connections. It does not keep our process alive.
 *
 * @param watched called with its process id, and with `undefined` when it is gone
 * @throws {NotStarted}
 */
export async function launchPostmaster(
  program: string,
  args: readonly string[],
  account: Account,
  watched: (pid: number | undefined) => void,
  environment: NodeJS.ProcessEnv = {},
): Promise<Postmaster> {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC', ...environment },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  watched(child.pid)
  const gone = once(child, 'exit').then(
    () => watched(undefined),
    // It could not be started.
    () => watched(undefined),
  )
  let said = 'no message'
  const ready = new Promise<boolean>(resolve => {
    const lines = createInterface({ input: child.stderr })
    lines.on('line', line => {
      if (line.includes('ready to accept connections')) resolve(true)
      if (/FATAL|PANIC|could not|still in use/.test(line)) said = line
    })
    lines.on('close', () => resolve(false))
  })
  const up = await ready
  if (!up) {
    await gone
    throw new NotStarted(said)
  }
  child.unref()
  ;(child.stderr as Socket).unref()
  return {
    end: async signal => {
      child.ref()
      child.kill(signal)
      await gone
    },
  }
}
