import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loader, locateProgram, programArguments } from '../support/process.ts'
import { bootstrap } from './callers.ts'
import type { Memory } from './memory.ts'

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
  end(): Promise<void>
}

export interface TargetOptions {
  /** `memory:`, or `level:` for a new folder. */
  readonly storage: 'memory:' | 'level:'
  /** True if the server checks its responses against the contract. */
  readonly dev: boolean
  readonly env?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts the server from its sources, since a build may be outdated. */
export async function startTarget({ storage, dev, env = {} }: TargetOptions): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'surrogate-soak-'))
  const setup = join(folder, 'bootstrap.json')
  await writeFile(setup, JSON.stringify(bootstrap))
  const node = [
    // As operators start it: see the guide's `limits.md`.
    '--max-semi-space-size=32',
    '--expose-gc',
    ...loader,
    `--import=${locateProgram('server/verify/soak/probe.ts')}`,
    ...programArguments(),
  ]
  const flags = [
    '--port=0',
    `--storage=${storage === 'memory:' ? storage : `level:${join(folder, 'data')}`}`,
    `--bootstrap=${setup}`,
    '--allow-private-callbacks',
    ...(dev ? ['--dev'] : []),
  ]
  // Settings in the environment must not reach the server.
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...node, ...flags], {
    cwd: root,
    env: { PATH, HOME, SURROGATE_MASTER_KEY: Buffer.alloc(32, 'fuzz').toString('base64'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return attach(child, folder)
}

async function attach(child: ChildProcess, folder: string): Promise<Target> {
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let [stdout, stderr, over] = ['', '', false]
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    over = true
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true })
    return `the server ended (${signal ?? `exit code ${code}`})`
  })
  let port: number | undefined
  while (port === undefined) {
    await Promise.race([once(child.stdout ?? child, 'data'), ended])
    if (over) throw new Error(`the server ended before it listened: ${stderr}`)
    port = Number(/listening on http:\S+:(\d+)/.exec(stdout)?.[1] ?? Number.NaN) || undefined
  }
  return {
    port,
    pid: child.pid ?? 0,
    folder,
    memory: async () => {
      const answer = once(child, 'message')
      child.send('memory')
      const [memory] = (await Promise.race([
        answer,
        ended.then(reason => Promise.reject(new Error(reason))),
      ])) as [Memory]
      return memory
    },
    ended,
    hasEnded: () => over,
    end: async () => {
      // Its data are not needed any more, and a busy server would end late.
      if (!over) child.kill('SIGKILL')
      await ended
    },
  }
}
