/**
 * What the parts of a search cost at the store port, without HTTP and without opening what is found: the exact
 * total alone, and in a database the first and a deep page without any total. Run by `run.ts` as a process of
 * its own.
 *
 *     parts.ts STORAGE COUNT START SECONDS
 */
import pg from 'pg'
import { openStore, parseStorage } from '../../storage/open.ts'
import type { DocumentKind, FindOptions, Query, Store } from '../../storage/port.ts'
import { numberOf } from '../../storage/postgres/kinds.ts'
import * as sql from '../../storage/postgres/sql.ts'
import { Condition } from '../../storage/postgres/where.ts'
import { replacing } from '../../testing/stores.ts'
import { createVault } from '../../vault.ts'
import { quantile } from '../measure.ts'
import { farPage, type Shape, shapesFor } from '../search/shapes.ts'
import { bootstrap, maskingKey, masterKey, restrictedKey } from '../server-process.ts'

/** Milliseconds, medians; pages are measured in a database only: elsewhere a total costs nothing beside them. */
export interface Parts {
  readonly total: number
  readonly totalMs: number
  readonly pageMs?: number
  readonly deepMs?: number
}

interface Asked {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly query: Query
  readonly options: FindOptions
}

const [storage = '', size = '', start = '', lasting = ''] = process.argv.slice(2)
const [count, startMs, seconds] = [Number(size), Number(start), Number(lasting)]

const location = parseStorage(storage)
const store = await openStore(location)
let asked: Asked | undefined
const listening: Store = replacing(store, {
  find: async (kind, tenant, query, options) => {
    if (kind === 'token') asked = { kind, tenant, query, options }
    // What is asked for is all there is to learn here.
    return { total: 0, documents: [] }
  },
})
const vault = createVault(
  { storage, masterKey: Buffer.from(masterKey, 'base64'), bootstrap },
  { openStore: async () => listening },
)

/** How the store is asked for what a shape asks of the server. */
async function askedFor({ query, restricted }: Shape): Promise<Asked> {
  asked = undefined
  const response = await vault.fetch('http://vault/tokens/search', {
    method: 'POST',
    headers: { 'SVC-API-KEY': restricted ? restrictedKey : maskingKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, size: 20 }),
  })
  if (!asked) throw new Error(`a search answered ${response.status}: ${await response.text()}`)
  return asked
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 3; n++) await work()
  const times: number[] = []
  const endMs = performance.now() + seconds * 1000
  while (performance.now() < endMs || times.length < 5) {
    const beganMs = performance.now()
    await work()
    times.push(performance.now() - beganMs)
  }
  return quantile(times, 0.5)
}

const pool =
  location.engine === 'postgres' ? new pg.Pool({ connectionString: location.url, max: 1 }) : undefined

function pageMs({ kind, tenant, query, options }: Asked, offset: number): Promise<number> {
  const condition = new Condition([tenant, numberOf(kind)], true)
  const where = sql.within(sql.matching(condition.of(query), condition.value(options.nowMs)))
  const cut = {
    order: 'DESC',
    limit: condition.value(options.limit),
    offset: condition.value(offset),
  } as const
  const text = sql.pageOf(where, cut)
  return medianMs(async () => pool?.query({ text, values: condition.values, rowMode: 'array' }))
}

const parts: [name: string, parts: Parts][] = []
for (const shape of shapesFor({ count, startMs })) {
  const search = await askedFor(shape)
  const { kind, tenant, query, options } = search
  const countOnly = { nowMs: options.nowMs, offset: 0, limit: 0 }
  const { total } = await store.find(kind, tenant, query, countOnly)
  const totalMs = await medianMs(() => store.find(kind, tenant, query, countOnly))
  const deep = (Math.max(1, Math.min(farPage, Math.floor(total / options.limit))) - 1) * options.limit
  const pages = pool ? { pageMs: await pageMs(search, 0), deepMs: await pageMs(search, deep) } : {}
  parts.push([shape.name, { total, totalMs, ...pages }])
}
await pool?.end()
await vault.close()
process.stdout.write(`${JSON.stringify(parts)}\n`)
