import type pg from 'pg'
import { numberOf } from '../../src/storage/engines/postgres/kinds.ts'
import { digestOf } from '../../src/storage/engines/postgres/rows.ts'
import type { Digest } from '../../src/storage/port.ts'

/** A term that this share of the tokens has is worth bitmaps; others are found by the index fast enough. */
export const commonShare = 1 / 500

const kind = numberOf('token')

/**
 * `terms` holds for each common term and block which of its tokens have it, `blocks` which there are and the
 * stamps between which they stand, `dirty` the tokens that were changed or removed since, with the terms they had
 * when they were folded: the bitmaps still count those.
 */
export async function makeTables(pool: pg.Pool): Promise<void> {
  for (const statement of [
    'DROP SCHEMA IF EXISTS folding CASCADE',
    'CREATE SCHEMA folding',
    `CREATE TABLE folding.blocks (tenant uuid, kind smallint, block int, from_us bigint NOT NULL,
       to_us bigint NOT NULL, places bit(4096) NOT NULL, PRIMARY KEY (tenant, kind, block))`,
    `CREATE TABLE folding.terms (tenant uuid, kind smallint, term uuid, block int, places bit(4096) NOT NULL,
       PRIMARY KEY (tenant, kind, term, block))`,
    `CREATE TABLE folding.dirty (tenant uuid, kind smallint, created_us bigint, terms uuid[] NOT NULL,
       PRIMARY KEY (tenant, kind, created_us))`,
  ]) {
    await pool.query(statement)
  }
}

/** Folds all tokens but the newest. Answers the terms that have bitmaps. */
export async function foldAll(pool: pg.Pool, tenant: string, unfolded: number): Promise<Set<Digest>> {
  await pool.query(
    `CREATE TABLE folding.placed AS
     SELECT terms, created_us, (nth - 1) / 4096 AS block, ((nth - 1) % 4096)::int AS place
     FROM (SELECT terms, created_us, row_number() OVER (ORDER BY created_us) AS nth,
                  count(*) OVER () AS total
           FROM documents WHERE tenant = $1 AND kind = $2) AS numbered
     WHERE nth <= total - $3`,
    [tenant, kind, unfolded],
  )
  const { rows } = await pool.query<{ term: string }>(
    `SELECT term FROM folding.placed, unnest(terms) AS term WHERE place % 16 = 0
     GROUP BY term HAVING count(*) >= (SELECT count(*) FROM folding.placed) / 16 * $1::float`,
    [commonShare],
  )
  const empty = `repeat('0', 4096)::bit(4096)`
  await pool.query(
    `INSERT INTO folding.terms
     SELECT $1, $2, term, block, bit_or(set_bit(${empty}, place, 1))
     FROM folding.placed, unnest(terms) AS term WHERE term = ANY($3::uuid[]) GROUP BY term, block`,
    [tenant, kind, rows.map(({ term }) => term)],
  )
  await pool.query(
    `INSERT INTO folding.blocks
     SELECT $1, $2, block, min(created_us), max(created_us), bit_or(set_bit(${empty}, place, 1))
     FROM folding.placed GROUP BY block`,
    [tenant, kind],
  )
  await pool.query('DROP TABLE folding.placed')
  await pool.query('VACUUM ANALYZE folding.terms')
  await pool.query('VACUUM ANALYZE folding.blocks')
  return new Set(rows.map(({ term }) => digestOf(term)))
}

/** As if so many of the folded tokens had been changed since. */
export async function makeDirty(pool: pg.Pool, tenant: string, dirty: number): Promise<void> {
  await pool.query(
    `INSERT INTO folding.dirty SELECT tenant, kind, created_us, terms FROM documents
     WHERE tenant = $1 AND kind = $2 AND created_us <= (SELECT max(to_us) FROM folding.blocks)
     ORDER BY id LIMIT $3`,
    [tenant, kind, dirty],
  )
  await pool.query('VACUUM ANALYZE folding.dirty')
}

/** Bytes, with indexes. */
export async function foldedSize(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relnamespace = 'folding'::regnamespace AND relkind = 'r'`,
  )
  return Number(rows[0]?.bytes)
}
