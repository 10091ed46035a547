import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap, masterKey } from '../support/callers.ts'
import { loader, locateProgram, programArguments, startCommand } from '../support/process.ts'
import type { Memory } from './probe.ts'

/** A server in a separate process. */
export interface Target {
  readonly port: number
  readonly pid: number
  /** Has its data in `data`; removed when it ends. */
  readonly folder: string
  memory(): Promise<Memory>
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  hasEnded(): boolean
  /** Its data are not needed any more, and a busy server would end late: kills it. */
  end(): Promise<void>
}

export const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(1)

/** Starts the server on LevelDB in a new folder, from its sources, since a build may be outdated. */
export async function startTarget(
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'surrogate-soak-'))
  const setup = join(folder, 'bootstrap.json')
  await writeFile(setup, JSON.stringify(bootstrap))
  const words = [
    process.execPath,
    // As operators start it: see the guide's `limits.md`.
    '--max-semi-space-size=32',
    '--expose-gc',
    ...loader,
    `--import=${locateProgram('server/verify/soak/probe.ts')}`,
    ...programArguments(),
    ...['--port=0', `--storage=level:${join(folder, 'data')}`, `--bootstrap=${setup}`],
    ...['--allow-private-callbacks', ...flags],
  ]
  const lifetime = { teardown: (task: () => unknown) => void process.once('exit', task) }
  const server = startCommand(lifetime, words, { SURROGATE_MASTER_KEY: masterKey, ...environment }, true)
  const { child } = server
  let isOver = false
  const ended = server.ended.then(async ({ code }) => {
    isOver = true
    await rm(folder, { recursive: true, force: true })
    return `the server ended (${child.signalCode ?? `exit code ${code}`})`
  })
  const { port } = await server.ready()
  return {
    port,
    pid: child.pid ?? 0,
    folder,
    memory: async () => {
      const answer = once(child, 'message')
      child.send('memory')
      const died = ended.then(reason => Promise.reject(new Error(reason)))
      const [memory] = (await Promise.race([answer, died])) as [Memory]
      return memory
    },
    ended,
    hasEnded: () => isOver,
    end: async () => void (await server.end('SIGKILL')),
  }
}
