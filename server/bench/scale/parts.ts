/**
 * Measures the parts of a search at the store port, without HTTP and decryption: the exact total, and in a database
 * the first page and a deep page without a total. Run by `run.ts` as a separate process.
 *
 *     parts.ts STORAGE COUNT START SECONDS
 */
import pg from 'pg'
import { numberOf } from '../../src/storage/engines/postgres/kinds.ts'
import * as sql from '../../src/storage/engines/postgres/sql.ts'
import { Condition } from '../../src/storage/engines/postgres/where.ts'
import { openStore, parseStorage } from '../../src/storage/open.ts'
import { farPage, shapesFor } from '../search/shapes.ts'
import { medianMs, type StoreSearch, StoreSearches } from './store-searches.ts'

/** Medians in milliseconds. Pages are only measured in a database: elsewhere the total costs nothing. */
export interface Parts {
  readonly total: number
  readonly totalMs: number
  readonly pageMs?: number
  readonly deepMs?: number
}

const [storage = '', size = '', start = '', lasting = ''] = process.argv.slice(2)
const [count, startMs, seconds] = [Number(size), Number(start), Number(lasting)]

const location = parseStorage(storage)
const store = await openStore(location)
const searches = new StoreSearches(storage, store)

const pool =
  location.engine === 'postgres' ? new pg.Pool({ connectionString: location.url, max: 1 }) : undefined

function pageMs({ kind, tenant, query, options }: StoreSearch, offset: number): Promise<number> {
  const condition = new Condition([tenant, numberOf(kind)], true)
  const where = sql.within(sql.matching(condition.of(query), condition.value(Math.floor(options.nowMs))))
  const cut = {
    order: 'DESC',
    limit: condition.value(options.limit),
    offset: condition.value(offset),
  } as const
  const text = sql.pageOf(where, cut)
  return medianMs(seconds, async () => pool?.query({ text, values: condition.values, rowMode: 'array' }))
}

const parts: [name: string, parts: Parts][] = []
for (const shape of shapesFor({ count, startMs })) {
  const search = await searches.of(shape)
  const { kind, tenant, query, options } = search
  const countOnly = { nowMs: options.nowMs, offset: 0, limit: 0 }
  const { total } = await store.find(kind, tenant, query, countOnly)
  const totalMs = await medianMs(seconds, () => store.find(kind, tenant, query, countOnly))
  const deep = (Math.max(1, Math.min(farPage, Math.floor(total / options.limit))) - 1) * options.limit
  const pages = pool ? { pageMs: await pageMs(search, 0), deepMs: await pageMs(search, deep) } : {}
  parts.push([shape.name, { total, totalMs, ...pages }])
}
await pool?.end()
await searches.close()
process.stdout.write(`${JSON.stringify(parts)}\n`)
