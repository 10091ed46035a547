/**
 * `npm run bench -- search`: searches over HTTP, one at a time, with 20 decrypted tokens in a page, on data folders of
 * growing size.
 *
 *     --sizes N,N…   numbers of tokens (10000,100000,1000000)
 *     --seconds S    duration of each search (1)
 */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { keys } from '../../support/callers.ts'
import { mustCallOver } from '../../support/started-replicas.ts'
import { ms, printTable, say } from '../figures.ts'
import { load } from '../load.ts'
import { type Started, startServer, workFolder } from '../servers.ts'
import { type Corpus, farPage, type Shape, shapesFor } from './corpus.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '1' },
  },
})
const folder = workFolder('search')

const rows = [['tokens', 'search', 'found', 'p50 ms', 'p99 ms']]

interface Page {
  readonly pagination: { readonly total_items: number; readonly next?: string }
}

/** Measures each search, one at a time over HTTP, when what it reads is in memory. Adds a row for each. */
async function measureSearches({ url }: Started, corpus: Corpus): Promise<void> {
  for (const shape of shapesFor(corpus)) {
    const key = shape.restricted ? keys.restricted : keys.masked
    const ask = (body: object): Promise<Page> => mustCallOver(200, url, key, 'POST', '/tokens/search', body)
    const body = JSON.stringify(await bodyOf(shape, ask))
    const request = { method: 'POST', path: '/tokens/search', body } as const
    const job = { urls: [url], keys: [key], connections: 1, request: () => request }
    await load({ ...job, requests: 150 })
    const { total_items: total } = (await ask(JSON.parse(body))).pagination
    const { p50, p99 } = await load({ ...job, seconds: Number(values.seconds) })
    rows.push([String(corpus.count), shape.name, String(total), ms(p50), ms(p99)])
  }
}

async function bodyOf(
  { query, size = 20, page }: Shape,
  ask: (body: object) => Promise<Page>,
): Promise<object> {
  if (page === undefined) return { query, size }
  const { total_items } = (await ask({ query, size: 1 })).pagination
  const far = Math.max(2, Math.min(farPage, Math.floor(total_items / size)))
  if (page === 'far') return { query, size, page: far }
  return { query, size, start: (await ask({ query, size, page: far - 1 })).pagination.next }
}

/** Makes the tokens in a process of its own. */
async function build(
  own: string,
  size: string,
): Promise<{ readonly startMs: number; readonly seconds: number }> {
  const program = fileURLToPath(new URL('build.ts', import.meta.url))
  const building = promisify(execFile)(process.execPath, ['--import=tsx', program, own, size])
  building.child.stderr?.pipe(process.stderr)
  return JSON.parse((await building).stdout)
}

for (const size of values.sizes.split(',')) {
  const own = join(folder, size)
  const { startMs, seconds } = await build(own, size)
  say(`${size} tokens made in ${seconds.toFixed(1)} s`)
  const server = await startServer(own)
  try {
    await measureSearches(server, { count: Number(size), startMs })
  } finally {
    await server.end()
  }
  rmSync(own, { recursive: true, force: true })
}
printTable(rows)
