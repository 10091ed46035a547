import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../scripts/bundle-options.ts'
import type { Writes } from './count-writes.ts'
import type { Generator } from './generator.ts'
import type { OperationName } from './operations.ts'
import { end, endWithThisProcess, type Started, start } from './processes.ts'
import { privateKey, startServer } from './server-process.ts'

/** A server to be measured; each start gets a new folder. */
export interface Subject {
  readonly name: 'ours' | 'ceiling' | 'prism'
  start(folder: string): Promise<Started>
}

export const ours: Subject = { name: 'ours', start: folder => startServer(folder) }

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The number of keys that our server writes for one request of each operation. */
export type KeysPer = Partial<Record<OperationName, number>>

export function ceiling(keysPer: KeysPer): Subject {
  return {
    name: 'ceiling',
    start: async folder => {
      // Bundled like our server: compiled by a loader, every closure would take longer.
      const outfile = here('../../.compiled/bench/ceiling.js')
      await build({ ...bundleOptions, splitting: false, entryPoints: [here('ceiling.ts')], outfile })
      return start({
        args: [outfile, folder, JSON.stringify(keysPer)],
        ready: /listening on (http:\S+)/,
      })
    },
  }
}

export interface WritesPer {
  readonly keys: number
  readonly bytes: number
  readonly perBatch: number
}

/** Measures the writes of our server for one request of an operation, under the same load. */
export async function measureWrites(
  folder: string,
  generator: Generator,
  connections: readonly number[],
  operation: OperationName,
  cvc: boolean,
): Promise<WritesPer> {
  const file = join(folder, 'writes.json')
  const counting = ['--import=tsx', `--import=${here('count-writes.ts')}`]
  const count = async (tokens: number, requests: number): Promise<Writes> => {
    rmSync(folder, { recursive: true, force: true })
    const server = await startServer(folder, counting, { BENCH_WRITES: file })
    const job = { url: server.url, key: privateKey, cvc }
    try {
      if (tokens > 0) await generator.run({ ...job, operation: 'create', connections: 16, requests: tokens })
      for (const clients of connections)
        await generator.run({ ...job, operation, connections: clients, requests })
    } finally {
      await server.end()
    }
    return JSON.parse(await readFile(file, 'utf8')) as Writes
  }
  const tokens = operation.startsWith('create') ? 0 : 2000
  const requests = 3000
  const [before, after] = [await count(tokens, 0), await count(tokens, requests)]
  const measured = requests * connections.length
  const batches = after.batches - before.batches
  return {
    keys: (after.keys - before.keys) / measured,
    bytes: (after.bytes - before.bytes) / measured,
    perBatch: measured / batches,
  }
}

// The last version that runs on Node 20.
const prismPackage = '@stoplight/prism-cli@5.14.2'

/** Installs Prism in the folder. Resolves with how to start it, or with the reason why that is not possible. */
export async function installPrism(folder: string): Promise<Subject | string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const npm = endWithThisProcess(
    spawn('npm', ['install', ...options, prismPackage], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  let complaint = ''
  npm.stderr.on('data', chunk => {
    complaint += chunk
  })
  try {
    const [code] = (await once(npm, 'close')) as [number]
    if (code !== 0) return `npm cannot install ${prismPackage}: ${complaint.trim().split('\n')[0]}`
  } catch (error) {
    return `npm cannot be run: ${(error as Error).message}`
  }
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  return { name: 'prism', start: () => startPrism(cli) }
}

/** Starts Prism without its log, which would halve its speed. There is no ready line, so its port is polled. */
async function startPrism(cli: string): Promise<Started> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const spawnedMs = performance.now()
  const contract = here('../../openapi.yaml')
  const args = [cli, 'mock', '--host=127.0.0.1', `--port=${port}`, '--verboseLevel=silent', contract]
  const child = endWithThisProcess(spawn(process.execPath, args, { stdio: 'ignore' }))
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('Prism ended before it was ready')
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - spawnedMs,
    end: (signal = 'SIGTERM') => end(child, signal),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return address !== null && typeof address === 'object' ? address.port : 0
}
