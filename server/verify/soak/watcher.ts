import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { loader, locateProgram } from '../support/process.ts'
import type { WatchJob, WatchMessage } from './watch.ts'

/** The watching process, as seen by the process that started it. */
export interface Watcher {
  /** Returns failures of the reads themselves. */
  readonly failures: readonly string[]
  /** Resolves with the times of the reads since the last call, and of the current one, sorted. */
  times(): Promise<readonly number[]>
  end(): Promise<void>
}

export function startWatcher(job: WatchJob): Watcher {
  const child = fork(fileURLToPath(locateProgram('server/verify/soak/watch.ts')), { execArgv: [...loader] })
  const failures: string[] = []
  let onTimes = (_: readonly number[]) => {}
  child.on('message', (message: WatchMessage) => {
    if ('takenMs' in message) onTimes(message.takenMs)
    else failures.push(message.failed)
  })
  const ended = once(child, 'exit')
  child.send(job)
  return {
    failures,
    times: () =>
      new Promise((resolve, reject) => {
        onTimes = resolve
        void ended.then(() => reject(new Error('the watching process ended')))
        child.send('times')
      }),
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
