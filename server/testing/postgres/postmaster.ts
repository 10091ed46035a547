import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Account } from './account.ts'

/** The first process of a PostgreSQL. */
export interface Postmaster {
  /** Sends a signal, and resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** A PostgreSQL that did not come up; the message is its own last word. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
}

/**
 * Starts it, and resolves when it takes connections. It keeps nothing of ours alive.
 *
 * @param watched - is told its process, and `undefined` when that is gone
 * @throws {NotStarted}
 */
export async function launchPostmaster(
  program: string,
  args: readonly string[],
  account: Account,
  watched: (pid: number | undefined) => void,
): Promise<Postmaster> {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  watched(child.pid)
  const gone = once(child, 'exit').then(
    () => watched(undefined),
    // It was never there.
    () => watched(undefined),
  )
  let said = 'it said nothing'
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
