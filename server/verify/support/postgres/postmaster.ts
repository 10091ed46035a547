import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Account } from './binaries.ts'

/** The main process of a PostgreSQL server. */
export interface Postmaster {
  readonly pid: number
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
    pid: child.pid ?? 0,
    end: async signal => {
      child.ref()
      child.kill(signal)
      await gone
    },
  }
}

/** A process that outlives ours, however it ends. Then it ends the watched process and removes the folder. */
export interface Guard {
  /** Sets the process to end; `undefined` when it is gone. */
  watch(pid: number | undefined): void
  /** Ends the process and removes the folder now. */
  end(): Promise<void>
}

// Its standard input closes when our process ends, even if it is killed.
const script = `
  while read -r line; do pid=$line; done
  if [ -n "$pid" ]; then
    kill -QUIT "$pid"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      kill -0 "$pid" || break
      sleep 0.1
    done
    kill -KILL "$pid"
  fi
  rm -rf "$0"`

/** Starts a guard that removes the folder. It does not keep our process alive. */
export function guardFolder(folder: string): Guard {
  // Detached, so that an interrupt from the terminal does not end it too early.
  const child = spawn('/bin/sh', ['-c', script, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  const { stdin } = child
  const gone = once(child, 'exit')
  // The guard may have ended already.
  stdin.on('error', () => {})
  ;(stdin as typeof stdin & { unref(): void }).unref()
  return {
    watch: pid => void stdin.write(`${pid ?? ''}\n`),
    end: async () => {
      child.ref()
      stdin.end()
      await gone
    },
  }
}
