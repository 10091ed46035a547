/**
 * `npm run bench:search`: measures searches over HTTP, with 20 decrypted tokens in a page, compared with SQLite with
 * a specialized index, on stores of growing size; and creates with and without terms.
 *
 *     --sizes N,N…      numbers of tokens (10000,100000,1000000)
 *     --seconds S       duration of each warm search (1)
 *     --rounds N        number of starts of each server for cold searches (5)
 *     --sqlite FOLDER   where better-sqlite3 is, or is to be installed, on a Node without node:sqlite
 *     --skip-peer       do not measure SQLite
 *     --skip-writes     do not measure creates
 *
 * Figures can be compared within one run, not between runs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endWithThisProcess, type Started, start } from '../processes.ts'
import { isBuilt, startServer } from '../server-process.ts'
import { type BrokenAnswers, type Measurement, measureBroken, measureOurs, measurePeer } from './measure.ts'
import { shapesFor } from './shapes.ts'
import { findSqlite } from './sqlite.ts'
import { measureCreates } from './writes.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    sqlite: { type: 'string' },
    'skip-peer': { type: 'boolean', default: false },
    'skip-writes': { type: 'boolean', default: false },
  },
})
const plan = { seconds: Number(values.seconds), rounds: Number(values.rounds) }

interface Built {
  readonly startMs: number
  readonly seconds: number
  readonly peakMb: number
}

async function build(folder: string, count: number): Promise<Built> {
  const child = endWithThisProcess(
    spawn(process.execPath, ['--import=tsx', here('build.ts'), folder, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error('the store was not built')
  return JSON.parse(output) as Built
}

interface Row {
  readonly count: number
  readonly name: string
  readonly ours: Measurement
  readonly peer: Measurement | undefined
}

async function measureSize(folder: string, count: number, sqlite: string | undefined): Promise<Row[]> {
  const { startMs, seconds, peakMb } = await build(folder, count)
  say(
    `\n${count} tokens: built in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} a second, ` +
      `${peakMb.toFixed(0)} MB peak resident size`,
  )
  const corpus = { count, startMs }
  const startPeer = (): Promise<Started> =>
    start({
      args: [
        '--import=tsx',
        here('sqlite-server.ts'),
        sqlite ?? '',
        join(folder, 'peer.sqlite'),
        String(count),
        String(startMs),
      ],
      ready: /listening on (http:\S+)/,
    })
  const ours = await measureOurs(() => startServer(folder), corpus, plan)
  say(`our server held ${ours.memoryMb.toFixed(0)} MB after all of it`)
  const broken: BrokenAnswers = await measureBroken(() => startServer(folder))
  say(
    `${broken.count} invalid queries: all refused, the slowest in ${broken.slowestMs.toFixed(1)} ms; ` +
      `the most expensive valid ones take ${broken.costliestMs.toFixed(1)} ms`,
  )
  const peer = sqlite === undefined ? undefined : await measurePeer(startPeer, corpus, plan)
  return shapesFor(corpus).map(({ name }) => ({
    count,
    name,
    ours: ours.shapes.get(name) as Measurement,
    peer: peer?.shapes.get(name),
  }))
}

function print(rows: readonly Row[]): void {
  const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2))
  const head = [
    'tokens',
    'search',
    'found',
    'warm p50',
    'p99',
    'cold p50',
    'SQLite p50',
    'p99',
    'cold p50',
    '',
  ]
  const table = rows.map(({ count, name, ours, peer }) => [
    String(count),
    name,
    String(ours.total),
    ms(ours.p50),
    ms(ours.p99),
    ms(ours.cold),
    ms(peer?.p50),
    ms(peer?.p99),
    ms(peer?.cold),
    peer && peer.p50 < ours.p50 ? 'behind' : '',
  ])
  const widths = head.map((_, at) => Math.max(...[head, ...table].map(row => (row[at] ?? '').length)))
  for (const row of [head, ...table]) {
    say(
      row
        .map((cell, at) => (at === 1 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  '),
    )
  }
}

const folder = mkdtempSync(join(tmpdir(), 'surrogate-search-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  if (!isBuilt) say('there is no build: measuring the sources, which start more slowly')
  const found = values['skip-peer'] ? 'left out' : await findSqlite(values.sqlite ?? join(folder, 'sqlite'))
  if (typeof found === 'string') say(`SQLite is skipped: ${found}`)
  say(
    `Node ${process.version}, ${availableParallelism()} cores; times in ms, over HTTP, one request at a time`,
  )
  const rows: Row[] = []
  for (const count of values.sizes.split(',').map(Number)) {
    const own = join(folder, String(count))
    rows.push(...(await measureSize(own, count, typeof found === 'string' ? undefined : found.from)))
    rmSync(own, { recursive: true, force: true })
  }
  say('')
  print(rows)
  if (!values['skip-writes']) say(`\n${await measureCreates(join(folder, 'writes'))}`)
} catch (error) {
  process.stderr.write(`bench:search: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
