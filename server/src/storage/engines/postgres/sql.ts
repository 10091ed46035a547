/**
 * All statements except those of migrations, in forms that distributed databases with PostgreSQL's protocol run too:
 * the tenant comes first, so that a statement goes to a single shard; no sequences (the server makes ids and times);
 * no advisory locks and no LISTEN, which only PostgreSQL has; no locks over several tenants; and no table is changed
 * twice in one statement.
 */

/** A statement with a name is parsed once per connection. */
export interface Statement {
  readonly name?: string
  readonly text: string
}

const columns = 'id, version, created_us, modified_us, due_ms, terms, uniques, box'

/** For many addresses: a hundred cost little more than one. OFFSET 0 keeps it from being planned as a scan of all. */
export const getDocuments: Statement = {
  name: 'get_documents',
  text: `SELECT found.* FROM unnest($1::uuid[], $2::smallint[], $3::uuid[]) AS wanted (tenant, kind, id),
         LATERAL (SELECT tenant, kind, ${columns} FROM documents
                  WHERE tenant = wanted.tenant AND kind = wanted.kind AND id = wanted.id OFFSET 0) AS found`,
}

/**
 * For addresses of one tenant, in a form that is routed by it. An id of one kind is not one of another, and if it were,
 * nobody asks for it.
 */
export const getOfTenant: Statement = {
  name: 'get_of_tenant',
  text: `SELECT tenant, kind, ${columns} FROM documents
         WHERE tenant = $1::uuid AND kind = ANY($2::smallint[]) AND id = ANY($3::uuid[])`,
}

/** Over all tenants, and so without locks. Work on a document is claimed in a commit of its tenant. */
export const dueDocuments: Statement = {
  name: 'due_documents',
  text: `SELECT tenant, ${columns} FROM documents
         WHERE kind = $1 AND due_ms <= $2 ORDER BY due_ms, tenant, id LIMIT $3`,
}

const dueOrder = 'ORDER BY due_ms, tenant, id'

/**
 * The same on Citus, of the nodes that can be reached; each one is asked for its shards over a connection of its own.
 * The first columns are the number of nodes that could not be asked, and of all nodes.
 */
export const dueOfReachable: Statement = {
  name: 'due_of_reachable',
  text: `WITH shards AS (
           SELECT nodename, nodeport, string_agg(format(
             '(SELECT * FROM %s WHERE kind = %s AND due_ms <= %s ${dueOrder} LIMIT %s)',
             shard_name(logicalrelid, shardid), $1::smallint, $2::bigint, $3::bigint), ' UNION ALL ') AS due
           FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
           WHERE logicalrelid = 'documents'::regclass AND shardstate = 1 GROUP BY nodename, nodeport),
         commands AS (
           SELECT array_agg(nodename::text) AS names, array_agg(nodeport::int) AS ports, array_agg(format(
             'SELECT coalesce(json_agg(due), ''[]'') FROM (SELECT * FROM (%s) AS all_shards ${dueOrder} LIMIT %s) AS due',
             due, $3::bigint)) AS texts
           FROM shards),
         asked AS MATERIALIZED (
           SELECT success, result FROM commands, master_run_on_worker(names, ports, texts, TRUE) AS asked (name, port, success, result))
         SELECT failed, nodes, due.*
         FROM (SELECT count(*) FILTER (WHERE NOT success) AS failed, count(*) AS nodes FROM asked) AS counted
         LEFT JOIN LATERAL (
           SELECT tenant, ${columns}
           FROM asked, json_populate_recordset(NULL::documents, CASE WHEN success THEN result::json END)
           ${dueOrder} LIMIT $3::bigint) AS due ON TRUE`,
}

/**
 * Locks the rows of collections, always in the same order, so that two transactions cannot wait for each other. The
 * transaction that holds a row is the only writer of its collection, so that what it reads cannot change.
 */
export const lockCollections: Statement = {
  name: 'lock_collections',
  text: `SELECT kind, last_us, last_created_us, coalesce(folded_us, -1),
           CASE WHEN folded_us IS NULL THEN documents ELSE unfolded END, documents FROM collections
         WHERE tenant = $1 AND kind = ANY($2::smallint[]) ORDER BY kind FOR UPDATE`,
}

export const addCollections: Statement = {
  name: 'add_collections',
  text: `INSERT INTO collections (tenant, kind, last_us, last_created_us, documents)
         SELECT $1, kind, 0, -1, 0 FROM unnest($2::smallint[]) AS missing (kind) ORDER BY kind
         ON CONFLICT (tenant, kind) DO NOTHING`,
}

/**
 * The row is locked by this transaction. A server of a version without blocks changes the first three columns only:
 * its commit is recognized because stamps and number are then not the known ones any more.
 */
export const changeCollection: Statement = {
  name: 'change_collection',
  text: `UPDATE collections SET last_us = $3, last_created_us = $4, documents = documents + $5::bigint,
           unfolded = unfolded + $6::bigint,
           known_stamps = CASE WHEN known_stamps = last_us + last_created_us THEN $3::bigint + $4::bigint END,
           known_documents = CASE WHEN known_documents = documents THEN documents + $5::bigint END
         WHERE tenant = $1 AND kind = $2`,
}

/** Keeps documents as the blocks have them, before they are removed or replaced. */
export const keepStale: Statement = {
  name: 'keep_stale',
  text: `INSERT INTO stale_documents (tenant, kind, created_us, terms)
         SELECT tenant, kind, created_us, terms FROM documents
         WHERE tenant = $1 AND kind = $2 AND id = ANY($3::uuid[])
         ON CONFLICT (tenant, kind, created_us) DO NOTHING`,
}

/** The part of documents that conditions need. */
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

/** Numbers of rows for which there are statements: few, so that each connection keeps them parsed. */
const sizes = [64, 32, 16, 8, 4, 2, 1]

/** Statements that insert several rows, by their number, in a form that is routed by tenant. */
function insertsInto(table: string, columns: string, types: string): ReadonlyMap<number, Statement> {
  const casts = types.split(' ')
  const statementOf = (rows: number) => {
    const values = Array.from({ length: rows }, (_, row) => {
      const own = casts.map((cast, at) => `$${2 + row * casts.length + at}::${cast}`)
      return `($1::uuid, ${own.join(', ')})`
    })
    const text = `INSERT INTO ${table} (tenant, ${columns}) VALUES ${values.join(', ')}`
    return { name: `insert_${table}_${rows}`, text }
  }
  return new Map(sizes.map(size => [size, statementOf(size)]))
}

const documentTypes = 'smallint uuid bigint bigint bigint bigint uuid[] uuid[] bytea'
export const insertDocuments = insertsInto('documents', `kind, ${columns}`, documentTypes)
export const insertUniques = insertsInto('uniques', 'kind, value, holder', 'smallint uuid uuid')

/** Splits rows into parts for which there are statements. */
export function cut<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = []
  for (let at = 0; at < rows.length; ) {
    const size = sizes.find(one => one <= rows.length - at) ?? 1
    parts.push(rows.slice(at, at + size))
    at += size
  }
  return parts
}

/** One statement, so that two concurrent calls cannot both succeed. */
export const takeLease: Statement = {
  name: 'take_lease',
  text: `INSERT INTO leases AS held (tenant, name, holder, until_ms) VALUES ($1, $2, $3, $5)
         ON CONFLICT (tenant, name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
         WHERE held.holder = excluded.holder OR held.until_ms <= $4
         RETURNING 1`,
}

/** The documents that match a condition and are not due. `now` is the parameter with the time. */
export function matching(condition: string, now: string): string {
  return `${condition} AND (due_ms IS NULL OR due_ms > ${now}::bigint)`
}

/** Restricts a condition to one collection. */
export function within(matching: string): string {
  return `tenant = $1::uuid AND kind = $2::smallint AND ${matching}`
}

/**
 * Like `within`, in a form that no index can serve, for conditions on terms. A term belongs to one tenant, but
 * PostgreSQL assumes that tenant and terms are independent, and would first collect all rows of the collection from
 * an index to intersect them with those of the terms, which takes longer than the rest of the query.
 */
export function checked(matching: string): string {
  return `tenant IS NOT DISTINCT FROM $1::uuid AND kind IS NOT DISTINCT FROM $2::smallint AND ${matching}`
}

/** The range of a page; `limit`, `offset` and `mostBytes` are parameters of the statement. */
interface PageCut {
  readonly order: 'ASC' | 'DESC'
  readonly limit: string
  readonly offset: string
  /** Boxes after this many bytes are NULL. */
  readonly mostBytes?: string
}

export function countOf(where: string): string {
  return `SELECT count(*) AS total FROM documents WHERE ${where}`
}

/** Counts all documents of a collection from the number in its row. Only due documents are counted one by one. */
export function countOfAll(now: string): string {
  return `SELECT coalesce(sum(documents), 0) - (${countOf(within(`due_ms <= ${now}::bigint`))}) AS total FROM collections
          WHERE tenant = $1::uuid AND kind = $2::smallint`
}

function pageOf(where: string, { order, limit, offset }: PageCut): string {
  return `SELECT ${columns} FROM documents WHERE ${where}
          ORDER BY created_us ${order} LIMIT ${limit}::bigint OFFSET ${offset}::bigint`
}

/**
 * A page and the exact total in one statement, and so of one state. If the first page is not full, its length is the
 * total, and nothing is counted. It has no name, so that it is planned for its terms: rare and common terms need
 * different plans.
 * @param count the statement that counts the documents of `where`
 * @param after restricts the page to the documents after the previous page
 */
export function findPage(where: string, count: string, after: string, cut: PageCut): string {
  const { order, limit, offset, mostBytes } = cut
  const isWhole = after === '' ? `${offset}::bigint = 0 AND` : 'FALSE AND'
  return `WITH page AS MATERIALIZED (${pageOf(where + after, cut)}), total AS (
            SELECT CASE WHEN ${isWhole} (SELECT count(*) FROM page) < ${limit}::bigint
                        THEN (SELECT count(*) FROM page) ELSE (${count}) END AS total
          )
          SELECT total, ${mostBytes === undefined ? 'page.*' : withoutLateBoxes(mostBytes, order)}
          FROM total LEFT JOIN page ON TRUE ORDER BY created_us ${order}`
}

/** The length of a box is in its row, so that only the boxes that are returned are read. */
function withoutLateBoxes(mostBytes: string, order: PageCut['order']): string {
  const before = `sum(octet_length(box)) OVER (ORDER BY created_us ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`
  return columns.replace('box', `CASE WHEN coalesce(${before}, 0) <= ${mostBytes}::bigint THEN box END`)
}

/** Erases removed rows that no transaction can see any more. Not possible within a transaction. */
export const vacuum = ['documents', 'uniques', 'stale_documents', 'term_blocks', 'blocks'].map(
  table => `VACUUM ${table}`,
)

/** For work that grows with the database, which may take longer than requests. */
export const disableTimeout = 'SET statement_timeout = 0'
export const resetTimeout = 'RESET statement_timeout'

/** In the order in which commits lock tables, so that neither waits for the other. */
export const removeAll =
  'TRUNCATE leases, collections, stale_documents, documents, uniques, blocks, term_blocks, folded_terms'

/** Milliseconds with a fraction. */
export const databaseTime = 'SELECT extract(epoch FROM clock_timestamp()) * 1000'

export const isReadOnly = 'SHOW transaction_read_only'
