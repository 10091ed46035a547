import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SlowRead, WatchJob, WatchMessage, WatchSummary } from './watch.ts'

/** The second connection, from here. */
export interface Watcher {
  /** Slow reads since this was last called, oldest first. */
  slowReads(): SlowRead[]
  /** What went wrong with the reads themselves. */
  readonly failures: readonly string[]
  /** Figures of the reads since this was last called, the one that is under way included. */
  summary(): Promise<WatchSummary>
  end(): Promise<void>
}

export function startWatcher(job: WatchJob): Watcher {
  const child = fork(fileURLToPath(new URL('watch.ts', import.meta.url)), { execArgv: ['--import=tsx'] })
  const failures: string[] = []
  let slow: SlowRead[] = []
  let onSummary = (_: WatchSummary) => {}
  child.on('message', (message: WatchMessage) => {
    if ('slow' in message) slow.push(message.slow)
    else if ('summary' in message) onSummary(message.summary)
    else failures.push(message.failed)
  })
  const ended = once(child, 'exit')
  child.send(job)
  return {
    slowReads: () => {
      const reads = slow
      slow = []
      return reads
    },
    failures,
    summary: async () => {
      const answer = new Promise<WatchSummary>(resolve => {
        onSummary = resolve
      })
      child.send('summary')
      return Promise.race([
        answer,
        ended.then((): never => {
          throw new Error('the watching process ended')
        }),
      ])
    },
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
