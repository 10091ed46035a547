import { spawn } from 'node:child_process'
import { once } from 'node:events'

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
