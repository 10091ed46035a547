/**
 * Every statement there is but those of migrations, in forms that also distributed relatives of PostgreSQL run.
 *
 * What all have in common: the tenant comes first, so that a statement is one of a single shard; no sequences
 * (ids and times are made by the server), no advisory locks and no LISTEN (nobody but PostgreSQL itself has
 * them), no locks over several tenants, and no table is changed twice in one statement.
 */

/** A statement with a name is parsed once by each connection. */
export interface Statement {
  readonly name?: string
  readonly text: string
}

const columns = 'id, version, created_us, modified_us, due_ms, terms, uniques, box'

/** One query for many ids: a hundred of them cost little more than one. */
export const getDocuments: Statement = {
  name: 'get_documents',
  text: `SELECT ${columns} FROM documents WHERE tenant = $1 AND kind = $2 AND id = ANY($3::uuid[])`,
}

/** Over all tenants, so without locks: who works on one takes it in a commit of its tenant. */
export const dueDocuments: Statement = {
  name: 'due_documents',
  text: `SELECT tenant, ${columns} FROM documents
         WHERE kind = $1 AND due_ms <= $2 ORDER BY due_ms, tenant, id LIMIT $3`,
}

/**
 * The rows that stand for collections are taken in one order everywhere, so that two transactions cannot wait
 * for each other. Whoever holds such a row is the only writer of its collection: what it reads then stays so.
 */
export const lockCollections: Statement = {
  name: 'lock_collections',
  text: `SELECT kind, last_us, last_created_us FROM collections
         WHERE tenant = $1 AND kind = ANY($2::smallint[]) ORDER BY kind FOR UPDATE`,
}

export const addCollections: Statement = {
  name: 'add_collections',
  text: `INSERT INTO collections (tenant, kind, last_us, last_created_us, documents)
         SELECT $1, kind, 0, -1, 0 FROM unnest($2::smallint[]) AS missing (kind) ORDER BY kind
         ON CONFLICT (tenant, kind) DO NOTHING`,
}

/** Whoever counts on holds the row, and so nobody else does. */
export const changeCollection: Statement = {
  name: 'change_collection',
  text: `UPDATE collections SET last_us = $3, last_created_us = $4, documents = documents + $5::bigint
         WHERE tenant = $1 AND kind = $2`,
}

/** What conditions ask of documents. */
export const readHeaders: Statement = {
  name: 'read_headers',
  text: `SELECT id, version, created_us, uniques FROM documents
         WHERE tenant = $1 AND kind = $2 AND id = ANY($3::uuid[])`,
}

export const readHolders: Statement = {
  name: 'read_holders',
  text: 'SELECT value, holder FROM uniques WHERE tenant = $1 AND kind = $2 AND value = ANY($3::uuid[])',
}

export const deleteDocuments: Statement = {
  name: 'delete_documents',
  text: 'DELETE FROM documents WHERE tenant = $1 AND kind = $2 AND id = ANY($3::uuid[])',
}

export const deleteUniques: Statement = {
  name: 'delete_uniques',
  text: 'DELETE FROM uniques WHERE tenant = $1 AND kind = $2 AND value = ANY($3::uuid[])',
}

/** Rows are given as VALUES: a single statement for many, routed by its tenant. */
function insertMany(table: string, columns: readonly string[], casts: readonly string[], rows: number) {
  const values = Array.from({ length: rows }, (_, row) => {
    const own = casts.map((cast, at) => `$${2 + row * casts.length + at}${cast}`)
    return `($1::uuid, ${own.join(', ')})`
  })
  return {
    name: `insert_${table}_${rows}`,
    text: `INSERT INTO ${table} (tenant, ${columns.join(', ')}) VALUES ${values.join(', ')}`,
  }
}

const insertDocumentsOf = (rows: number) =>
  insertMany(
    'documents',
    ['kind', ...columns.split(', ')],
    [
      '::smallint',
      '::uuid',
      '::bigint',
      '::bigint',
      '::bigint',
      '::bigint',
      '::uuid[]',
      '::uuid[]',
      '::bytea',
    ],
    rows,
  )

const insertUniquesOf = (rows: number) =>
  insertMany('uniques', ['kind', 'value', 'holder'], ['::smallint', '::uuid', '::uuid'], rows)

/** Few shapes, so that each connection keeps all of them parsed: what is to be inserted is cut into these. */
const sizes = [64, 32, 16, 8, 4, 2, 1]

export const insertDocuments = new Map(sizes.map(size => [size, insertDocumentsOf(size)] as const))
export const insertUniques = new Map(sizes.map(size => [size, insertUniquesOf(size)] as const))

/** Cuts a list into the sizes for which there are statements. */
export function cut<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = []
  for (let at = 0; at < rows.length; ) {
    const size = sizes.find(one => one <= rows.length - at) ?? 1
    parts.push(rows.slice(at, at + size))
    at += size
  }
  return parts
}

/** In one statement, so that two who ask at once cannot both get it. */
export const takeLease: Statement = {
  name: 'take_lease',
  text: `INSERT INTO leases AS held (tenant, name, holder, until_ms) VALUES ($1, $2, $3, $5)
         ON CONFLICT (tenant, name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
         WHERE held.holder = excluded.holder OR held.until_ms <= $4
         RETURNING 1`,
}

/** What a search finds: what matches a condition and is not over. `now` names the time as a value. */
export function matching(condition: string, now: string): string {
  return `${condition} AND (due_ms IS NULL OR due_ms > ${now}::bigint)`
}

/** What is over, and not erased yet. */
function isOver(now: string): string {
  return `due_ms <= ${now}::bigint`
}

/** Of one collection. */
export function within(matching: string): string {
  return `tenant = $1::uuid AND kind = $2::smallint AND ${matching}`
}

/**
 * The same, where terms lead to the rows. They are one tenant's, so that rows of others hardly turn up; but
 * PostgreSQL takes tenant and terms for independent, and would first gather all places of the collection to
 * compare them with those of the terms, which takes longer than all the rest. This form it cannot look up.
 */
export function checked(matching: string): string {
  return `tenant IS NOT DISTINCT FROM $1::uuid AND kind IS NOT DISTINCT FROM $2::smallint AND ${matching}`
}

/** How a page is cut: the names of the values for its length and its offset. */
export interface PageCut {
  readonly order: 'ASC' | 'DESC'
  readonly limit: string
  readonly offset: string
  /** Past so many bytes boxes are NULL. */
  readonly mostBytes?: string
}

export function pageOf(where: string, { order, limit, offset }: PageCut): string {
  return `SELECT ${columns} FROM documents WHERE ${where}
          ORDER BY created_us ${order} LIMIT ${limit}::bigint OFFSET ${offset}::bigint`
}

export function countOf(where: string): string {
  return `SELECT count(*) AS total FROM documents WHERE ${where}`
}

/** The same of all that is not over, from the number that every commit keeps: only what is over is counted. */
export function countOfAll(now: string): string {
  return `SELECT coalesce(sum(documents), 0) - (${countOf(within(isOver(now)))}) AS total FROM collections
          WHERE tenant = $1::uuid AND kind = $2::smallint`
}

/**
 * A page and the exact total of one moment: a statement reads one state. Where the page is all there is, it is
 * its own total and nothing is counted. `where` is what matches, `count` the statement that counts it, and
 * `behind` what of it comes behind the page before.
 * The statement has no name, so that it is planned for its own terms: a rare one and a common one want other plans.
 */
export function findPage(where: string, count: string, behind: string, cut: PageCut): string {
  const { order, limit, offset, mostBytes } = cut
  const isWhole = behind === '' ? `${offset}::bigint = 0 AND` : 'FALSE AND'
  return `WITH page AS MATERIALIZED (${pageOf(where + behind, cut)}), total AS (
            SELECT CASE WHEN ${isWhole} (SELECT count(*) FROM page) < ${limit}::bigint
                        THEN (SELECT count(*) FROM page) ELSE (${count}) END AS total
          )
          SELECT total, ${mostBytes === undefined ? 'page.*' : withoutLateBoxes(mostBytes, order)}
          FROM total LEFT JOIN page ON TRUE ORDER BY created_us ${order}`
}

/** How long a box is stands in its row, whether or not it is kept apart: only boxes that are answered are read. */
function withoutLateBoxes(mostBytes: string, order: PageCut['order']): string {
  const before = `sum(octet_length(box)) OVER (ORDER BY created_us ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`
  return columns.replace('box', `CASE WHEN coalesce(${before}, 0) <= ${mostBytes}::bigint THEN box END`)
}

/** What was removed goes when nobody can see it any more. Each must stand outside of transactions. */
export const vacuum = ['VACUUM documents', 'VACUUM uniques']

/** For work that grows with the database, which may take longer than any request. */
export const disableTimeout = 'SET statement_timeout = 0'
export const resetTimeout = 'RESET statement_timeout'

export const removeAll = 'TRUNCATE documents, uniques, collections, leases'

/** The time that counts, as milliseconds with a fraction. */
export const databaseTime = 'SELECT extract(epoch FROM clock_timestamp()) * 1000'

export const isReadOnly = 'SHOW transaction_read_only'
