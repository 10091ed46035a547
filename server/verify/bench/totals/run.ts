/**
 * `npm run bench -- totals`: measures exact totals of searches on PostgreSQL at the store port, counted row by row and in
 * blocks, in one run on the same documents of one tenant; and creates with and without blocks.
 *
 *     --size N         number of documents (100000)
 *     --rounds N       searches of each shape, of which the median is printed (7); 0 leaves them out
 *     --creates N      documents that are created in each round of creates (20000); 0 leaves them out
 *     --keep FOLDER    a folder in which the data remain for later runs of the same size
 *     --database URL   a database to use instead; it is filled if it is empty
 *
 * Figures can be compared within one run, not between runs.
 */
import { chmod, mkdir } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createLog } from '../../../src/base/log.ts'
import { type FoldLimits, foldLimits } from '../../../src/storage/engines/postgres/blocks/fold-limits.ts'
import { PostgresStore } from '../../../src/storage/engines/postgres/postgres-store.ts'
import type { Query, Store } from '../../../src/storage/port/port.ts'
import { measure } from '../measure.ts'
import { cpuUsOf, workFolder } from '../processes.ts'
import { startDatabase } from '../scale/database.ts'
import { ms, printTable, say, sum } from '../table.ts'
import { measureCreates } from './creates.ts'
import { fill, firstUs, tenant, termOf } from './fill.ts'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    creates: { type: 'string', default: '20000' },
    keep: { type: 'string' },
    database: { type: 'string' },
  },
})
const size = Number(values.size)
const rounds = Number(values.rounds)
const nothing: FoldLimits = {
  ...foldLimits,
  leastDocuments: Number.POSITIVE_INFINITY,
  leastTotal: Number.POSITIVE_INFINITY,
}

async function shapesOf(pool: pg.Pool): Promise<[name: string, query: Query, offset?: number][]> {
  const term = (name: string) => termOf(pool, name)
  const [all, half, rare, tenth] = [
    await term('source'),
    await term('tier:1'),
    await term('data77'),
    await term('g3'),
  ]
  const hundred = await Promise.all(Array.from({ length: 100 }, (_, n) => term(`hundred:${n}`)))
  const languages = await Promise.all(Array.from({ length: 15 }, (_, n) => term(`lang:${n}`)))
  const us = (share: number) => firstUs + Math.floor(size * share) * 1_000_000 + 1
  const range: Query = { op: 'created', fromUs: us(0.101), toUs: us(0.9003) }
  const not = (of: Query): Query => ({ op: 'not', of })
  return [
    ['a term of all', all],
    ['of half', half],
    ['of a hundredth', await term('hundred:5')],
    ['of a thousandth', await term('c5')],
    ['of one', rare],
    ['all AND half', { op: 'and', of: [all, half] }],
    ['half AND tenth AND NOT language', { op: 'and', of: [half, tenth, not(languages[0] as Query)] }],
    ['15 languages, one OR another', { op: 'or', of: languages }],
    ['100 terms, one OR another', { op: 'or', of: hundred }],
    ['half, AND NOT one of 99 terms', { op: 'and', of: [half, ...hundred.slice(1).map(not)] }],
    ['half OR rare', { op: 'or', of: [half, rare] }],
    ['NOT half', not(half)],
    ['NOT rare', not(rare)],
    ['range of times', range],
    ['range AND half', { op: 'and', of: [range, half] }],
    [
      'half, NOT modified in a range',
      { op: 'and', of: [half, not({ op: 'modified', fromUs: us(1.45), toUs: us(1.55) })] },
    ],
    ['half, page 2000 of 20', half, Math.min(40_000, size / 5)],
  ]
}

/** Processor time of the connections of the store, in milliseconds; on Linux only. */
async function processorMs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'surrogate' AND datname = current_database()",
  )
  return sum(rows.map(({ pid }) => cpuUsOf(pid) ?? 0)) / 1000
}

async function measureShape(store: Store, query: Query, offset: number) {
  const options = { nowMs: 0, offset, limit: offset === 0 ? 0 : 20 }
  // The first reads what is not in memory.
  const { total } = await store.find('token', tenant, query, options)
  const before = await processorMs(pool)
  const times = await measure(() => store.find('token', tenant, query, options), { times: rounds })
  const processor = ((await processorMs(pool)) - before) / rounds
  return { total, text: `${ms(times.p50)} (${ms(times.least)})`, processor: ms(processor) }
}

async function measureShapes(byRows: Store, store: Store): Promise<void> {
  const table = [['total of', 'found', 'ms by rows (best)', 'in blocks', 'processor of blocks']]
  for (const [name, query, offset = 0] of await shapesOf(pool)) {
    const rows = await measureShape(byRows, query, offset)
    const blocks = await measureShape(store, query, offset)
    if (rows.total !== blocks.total) throw new Error(`${name}: ${rows.total} and ${blocks.total}`)
    table.push([name, String(rows.total), rows.text, blocks.text, blocks.processor])
  }
  printTable(table)
}

/** Searches, so that the store notices what is not in blocks, and waits until it is. */
async function foldWith(store: Store): Promise<void> {
  await store.find('token', tenant, await termOf(pool, 'source'), { nowMs: 0, offset: 0, limit: 0 })
  for (;;) {
    const { rows } = await pool.query<{ unfolded: string; folded_us: string | null }>(
      'SELECT unfolded, folded_us FROM collections WHERE tenant = $1 AND kind = 4',
      [tenant],
    )
    if (rows[0]?.folded_us && Number(rows[0].unfolded) < foldLimits.blockDocuments) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const folder = workFolder('totals', values.keep)

const started = values.database === undefined ? await start() : undefined
const url = started?.url ?? values.database ?? ''
const pool = new pg.Pool({ connectionString: url, max: 1 })
// The database ends before the pool has noticed that its connection is closed.
pool.on('error', () => {})
const open = (folding: FoldLimits) =>
  PostgresStore.open(url, { migrate: true, folding, log: createLog(line => say(line)) })

async function start() {
  await mkdir(folder, { recursive: true })
  // As root, the database runs under another account, which needs access.
  await chmod(folder, 0o711)
  return startDatabase(join(folder, 'postgres'))
}

try {
  const byRows = await open(nothing)
  const { rowCount } = await pool.query('SELECT 1 FROM documents LIMIT 1')
  if (rowCount === 0) await fill(pool, size)
  const store = await open(foldLimits)
  const beganMs = performance.now()
  await foldWith(store)
  say(`folded in ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
  await pool.query('VACUUM (ANALYZE) blocks, term_blocks, folded_terms')
  const { rows: sizes } = await pool.query<{ size: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(name::regclass))) AS size
     FROM unnest(ARRAY['blocks', 'term_blocks', 'folded_terms', 'stale_documents']) AS name`,
  )
  say(`${size} documents, blocks of ${sizes[0]?.size}, load ${loadavg()[0]?.toFixed(1)}`)
  if (rounds > 0) {
    // Until then the store remembers that there were no blocks.
    await new Promise(resolve => setTimeout(resolve, foldLimits.rememberMs))
    await measureShapes(byRows, store)
  }
  await Promise.all([byRows.close(), store.close()])
  const creates = Number(values.creates)
  const withBlocks = () => open(foldLimits)
  const foldAll = async () => {
    const folding = await withBlocks()
    await foldWith(folding)
    await folding.close()
  }
  if (creates > 0) {
    await measureCreates(
      () => open(nothing),
      withBlocks,
      foldAll,
      () => processorMs(pool),
      creates,
    )
  }
} finally {
  await pool.end()
  await started?.close()
}
