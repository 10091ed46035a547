import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Outlives us, however we end: then it ends the process told last, and removes the folder. */
export interface Guard {
  /** The process to end, or `undefined` when it is gone. */
  watch(pid: number | undefined): void
  /** Does its work now, and resolves when that is done. */
  end(): Promise<void>
}

// Its standard input closes with us, even where we are killed.
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

/** Keeps nothing of ours alive. The folder is removed in any case. */
export function guardFolder(folder: string): Guard {
  // A session of its own: an interrupt from the terminal must not end it before its work is done.
  const child = spawn('/bin/sh', ['-c', script, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  const { stdin } = child
  const gone = once(child, 'exit')
  // A pipe that nobody reads any more: then there is nobody to tell, either.
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
