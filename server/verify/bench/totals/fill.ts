import type { Pool } from 'pg'
import { numberOf } from '../../../src/storage/engines/postgres/kinds.ts'
import { digestOfUuid, type Query } from '../../../src/storage/port/port.ts'

/** The only tenant of the data. */
export const tenant = '11111111-1111-4111-8111-111111111111'

/** The stamp of the first token; each one is a second after the one before. */
export const firstUs = 1_700_000_000_000_000

/** A term of the data. The database makes them of their names with the same function. */
export async function termOf(pool: Pool, name: string): Promise<Extract<Query, { op: 'term' }>> {
  const { rows } = await pool.query<{ term: string }>('SELECT md5($1)::uuid AS term', [name])
  return { op: 'term', term: digestOfUuid(rows[0]?.term ?? '') }
}

/**
 * Fills an empty database with documents like those of tokens: 13 terms, of which all have some, a few have others and
 * one or two are their own; every twentieth is modified. Written by the database itself, as a million requests take long.
 */
export async function fill(pool: Pool, count: number): Promise<void> {
  const kind = numberOf('token')
  // Indexes are made of the whole table at the end, which is faster.
  const { rows: indexes } = await pool.query<{ name: string; text: string }>(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE tablename = 'documents' AND indexname LIKE 'documents\\_%' AND indexname <> 'documents_pkey'`,
  )
  for (const { name } of indexes) await pool.query(`DROP INDEX ${name}`)
  await pool.query(
    `INSERT INTO documents
     SELECT $1, $2, md5('id' || n)::uuid, 1, $3::bigint + n * 1000000::bigint,
       CASE WHEN n % 20 = 0 THEN $3::bigint + ($4::bigint + n) * 1000000 END, NULL,
       ARRAY[md5('type:' || least(n % 10, 5)), md5('source'), md5('region:' || least(r1 % 10, 8) / 4), md5('tier:' || r2 % 2),
         md5('lang:' || r3 % 20), md5('hundred:' || r4 % 100), md5('customer:' || n / 8), md5('g' || r5 % 10),
         md5('g' || r5 % 10 || 's' || r5 / 10 % 10), md5('g' || r5 % 10 || 's' || r5 / 10 % 10 || 't' || r5 / 100 % 10),
         md5('c' || r5 % 1000), md5('by'), md5('data' || n)]::uuid[],
       '{}', decode(repeat(md5('box' || n), 10), 'hex')
     FROM (SELECT n, abs(hashint4(n * 7 + 1)) AS r1, abs(hashint4(n * 7 + 2)) AS r2, abs(hashint4(n * 7 + 3)) AS r3,
         abs(hashint4(n * 7 + 4)) AS r4, abs(hashint4(n * 7 + 5)) AS r5
       FROM generate_series(0, $4::int - 1) AS n) AS numbers`,
    [tenant, kind, firstUs, count],
  )
  for (const { text } of indexes) await pool.query(text)
  await pool.query(
    `INSERT INTO collections (tenant, kind, last_us, last_created_us, documents)
     SELECT tenant, kind, max(coalesce(modified_us, created_us)), max(created_us), count(*) FROM documents GROUP BY 1, 2`,
  )
  await pool.query('VACUUM (ANALYZE) documents')
  await pool.query('CHECKPOINT')
}
