import type pg from 'pg'

const mega = (bytes: string | number) => `${(Number(bytes) / 2 ** 20).toFixed(0)} MB`

/** Returns the sizes of tables, indexes and a token's row on disk. */
export async function sizesOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND pg_relation_size(oid) > 100000
     ORDER BY 2 DESC`,
  )
  const { rows: kinds } = await pool.query<{ kind: number; rows: string; bytes: string; terms: string }>(
    `SELECT kind, count(*) AS rows, avg(pg_column_size(documents.*))::int AS bytes,
            avg(length(terms) / 16)::numeric(9, 1) AS terms
     FROM documents TABLESAMPLE SYSTEM (5) GROUP BY kind ORDER BY 2 DESC LIMIT 2`,
  )
  return [
    ...rows.map(({ name, bytes }) => `${name.padEnd(28)}${mega(bytes).padStart(9)}`),
    ...kinds.map(
      ({ kind, bytes, terms }) => `a row of kind ${kind} takes ${bytes} bytes and has ${terms} terms`,
    ),
    '',
  ].join('\n')
}
