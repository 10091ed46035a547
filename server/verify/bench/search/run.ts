/**
 * `npm run bench -- search`: searches over HTTP, one at a time, with 20 decrypted tokens in a page, on data folders of
 * growing size.
 *
 *     --sizes N,N…   numbers of tokens (10000,100000,1000000)
 *     --seconds S    duration of each search (1)
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runJson, workFolder } from '../processes.ts'
import { startServer } from '../server-process.ts'
import { ms, printTable, say } from '../table.ts'
import { measureSearches } from './measure.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '1' },
  },
})
const folder = workFolder('search')

const rows = [['tokens', 'search', 'found', 'p50 ms', 'p99 ms']]
for (const size of values.sizes.split(',')) {
  const own = join(folder, size)
  const { startMs, seconds } = await runJson<{ startMs: number; seconds: number }>(
    new URL('build.ts', import.meta.url),
    own,
    size,
  )
  say(`${size} tokens made in ${seconds.toFixed(1)} s`)
  const server = await startServer(own)
  try {
    const measured = await measureSearches(server, { count: Number(size), startMs }, Number(values.seconds))
    for (const [name, { total, p50, p99 }] of measured)
      rows.push([size, name, String(total), ms(p50), ms(p99)])
  } finally {
    await server.end()
  }
  rmSync(own, { recursive: true, force: true })
}
printTable(rows)
