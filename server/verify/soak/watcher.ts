import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { loader, locateProgram } from '../support/process.ts'
import type { WatchJob, WatchMessage, WatchSummary } from './watch.ts'

/** The watching process, as seen by the process that started it. */
export interface Watcher {
  /** Returns failures of the reads themselves. */
  readonly failures: readonly string[]
  /** Resolves with figures of the reads since the last call, including the current one. */
  summary(): Promise<WatchSummary>
  end(): Promise<void>
}

export function startWatcher(job: WatchJob): Watcher {
  const child = fork(fileURLToPath(locateProgram('server/verify/soak/watch.ts')), { execArgv: [...loader] })
  const failures: string[] = []
  let onSummary = (_: WatchSummary) => {}
  child.on('message', (message: WatchMessage) => {
    if ('summary' in message) onSummary(message.summary)
    else failures.push(message.failed)
  })
  const ended = once(child, 'exit')
  child.send(job)
  return {
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
