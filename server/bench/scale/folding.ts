/**
 * The prototype of what large tenants could do about totals: bitmaps of 4096 tokens each for the terms that many
 * tokens have, in a table of their own, combined and counted by the database. It is measured beside the product's
 * count of the same moment, and must be equal to it. Run by `run.ts` as a process of its own; leaves nothing behind.
 *
 *     folding.ts URL COUNT START SECONDS
 */
import pg from 'pg'
import { openStore } from '../../src/storage/open.ts'
import { shapesFor } from '../search/shapes.ts'
import { commonShare, foldAll, foldedSize, makeDirty, makeTables } from './fold.ts'
import { FoldedCount } from './folded-count.ts'
import { medianMs, Questions } from './questions.ts'

/** Of one shape; `undefined` where folded blocks cannot answer it. Milliseconds, medians. */
export interface Folding {
  readonly seconds: number
  readonly megabytes: number
  readonly commonTerms: number
  readonly unfolded: number
  readonly dirty: number
  readonly totals: readonly (readonly [shape: string, ms: number])[]
}

const [url = '', size = '', start = '', lasting = ''] = process.argv.slice(2)
const [count, startMs, seconds] = [Number(size), Number(start), Number(lasting)]

const store = await openStore({ engine: 'postgres', url })
const questions = new Questions(url, store)
const pool = new pg.Pool({ connectionString: url, max: 1 })
try {
  const shapes = shapesFor({ count, startMs })
  const [first] = shapes
  if (!first) throw new Error('there are no shapes')
  const { kind, tenant } = await questions.of(first)
  await makeTables(pool)
  const beganMs = performance.now()
  const unfolded = Math.min(10_000, Math.floor(count / 10))
  const common = await foldAll(pool, tenant, unfolded)
  const tookMs = performance.now() - beganMs
  const dirty = Math.floor(count / 1000)
  await makeDirty(pool, tenant, dirty)
  const totals: [string, number][] = []
  for (const shape of shapes) {
    const { query, options } = await questions.of(shape)
    const folded = new FoldedCount(tenant, query, common, Math.floor(options.nowMs))
    const values = folded.values
    const ask = async () => Number((await pool.query({ text: folded.text, values })).rows[0]?.total)
    const { total } = await store.find(kind, tenant, query, { nowMs: options.nowMs, offset: 0, limit: 0 })
    const counted = await ask()
    if (counted !== total) throw new Error(`${shape.name}: ${counted} are counted where ${total} match`)
    totals.push([shape.name, await medianMs(seconds, ask)])
  }
  const folding: Folding = {
    seconds: tookMs / 1000,
    megabytes: (await foldedSize(pool)) / 2 ** 20,
    commonTerms: common.size,
    unfolded,
    dirty,
    totals,
  }
  process.stdout.write(`${JSON.stringify({ ...folding, commonShare })}\n`)
} finally {
  await pool.query('DROP SCHEMA IF EXISTS folding CASCADE')
  await pool.end()
  await questions.close()
}
