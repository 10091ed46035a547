import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Job, Measured, Outcome } from './load.ts'
import { end, endWithThisProcess } from './processes.ts'

export interface Generator {
  run(job: Job): Promise<Measured>
  end(): Promise<void>
}

/** Starts the load generator, one process for the whole run, so that it is equally warm for all servers. */
export function startGenerator(): Generator {
  const child = endWithThisProcess(
    fork(fileURLToPath(new URL('load.ts', import.meta.url)), {
      execArgv: ['--import=tsx'],
      serialization: 'advanced',
    }),
  )
  const gone = once(child, 'exit').then(() => {
    throw new Error('the load generator ended')
  })
  gone.catch(() => {})
  return {
    run: async job => {
      const answer = once(child, 'message') as Promise<[Outcome]>
      child.send(job)
      const [outcome] = await Promise.race([answer, gone])
      if ('error' in outcome) throw new Error(outcome.error)
      return outcome
    },
    end: () => end(child, 'SIGTERM'),
  }
}
