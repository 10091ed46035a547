/**
 * All statements but those that place tables, or say who is there, in forms that distributed databases with PostgreSQL's protocol run too:
 * the tenant comes first, so that a statement goes to a single shard; no sequences (the server makes ids and times);
 * no advisory locks and no LISTEN, which only PostgreSQL has; and no locks over several tenants.
 */

/** A statement with a name is parsed once per connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

function named<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Statement>> {
  const entries = Object.entries(texts).map(([name, text]) => [name, { name, text }])
  return Object.fromEntries(entries) as Record<Name, Statement>
}

const columns = 'id, ordinal, version, created_us, modified_us, due_ms, terms, uniques, box'
const own = 'tenant = $1::uuid AND kind = $2::smallint'
/** That of its index: by id as well, each page would sort all documents of one time, of which there may be millions. */
const dueOrder = 'ORDER BY due_ms, tenant'

/**
 * Looks up each of several keys. With a list of them in its place, a database that has no statistics of a new table yet
 * would read a whole collection; OFFSET 0 keeps it from being planned as one.
 */
const each = (columns: string, table: string, condition: string) =>
  `LATERAL (SELECT ${columns} FROM ${table} WHERE ${condition} OFFSET 0) AS found`

/** Reads. */
export const reading = named({
  /** For many addresses: a hundred cost little more than one. */
  get: `SELECT found.* FROM unnest($1::uuid[], $2::smallint[], $3::uuid[]) AS wanted (tenant, kind, id),
        ${each(`tenant, kind, ${columns}`, 'documents', 'tenant = wanted.tenant AND kind = wanted.kind AND id = wanted.id')}`,
  /**
   * For addresses of one tenant, in a form that is routed by it. An id of one kind is not one of another, and if it were,
   * nobody asks for it.
   */
  getOfTenant: `SELECT tenant, kind, ${columns} FROM documents
                WHERE tenant = $1::uuid AND kind = ANY($2::smallint[]) AND id = ANY($3::uuid[])`,

  /** One row per term: the blocks in one value, each behind its number and length. As Base64, which is shorter than hex. */
  blocks: `SELECT wanted.term, all_bits FROM unnest($3::uuid[]) AS wanted (term),
           ${each(
             `encode(string_agg(int4send(block) || int4send(length(bits)) || bits, ''), 'base64') AS all_bits`,
             'blocks',
             `${own} AND term = wanted.term`,
           )}`,
  ordinals: `SELECT found.* FROM unnest($3::uuid[]) AS wanted (id),
             ${each('ordinal', 'documents', `${own} AND id = wanted.id`)}`,
  modified: `SELECT ordinal FROM documents WHERE ${own} AND modified_us >= $3::bigint AND modified_us <= $4::bigint`,
  dueOrdinals: `SELECT ordinal FROM documents WHERE ${own} AND due_ms <= $3::bigint`,
  /** Ordinals are in the order of creation: bisects them, which saves each document an entry of an index. */
  firstFrom: `WITH RECURSIVE range (low, high) AS (
      SELECT 0::bigint, next_ordinal FROM collections WHERE ${own}
      UNION ALL
      SELECT CASE WHEN is_before THEN middle + 1 ELSE low END, CASE WHEN is_before THEN high ELSE middle END
      FROM range, LATERAL (SELECT (low + high) / 2 AS middle) AS halves,
        LATERAL (SELECT coalesce((SELECT created_us FROM documents WHERE ${own} AND ordinal >= middle
                                  ORDER BY ordinal LIMIT 1) < $3::bigint, FALSE) AS is_before) AS compared
      WHERE low < high)
    SELECT low FROM range WHERE low = high`,
  /** The length of a box is in its row, so that only the boxes that are returned are read. */
  page: `SELECT ${columns.replace(
    'box',
    `CASE WHEN coalesce(sum(octet_length(box)) OVER (
       ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) <= $4::bigint THEN box END`,
  )} FROM unnest($3::bigint[]) WITH ORDINALITY AS wanted (number, place),
     ${each(columns, 'documents', `${own} AND ordinal = wanted.number`)}
     ORDER BY place`,

  /** Over all tenants, and so without locks. Work on a document is claimed in a commit of its tenant. */
  due: `SELECT tenant, ${columns} FROM documents WHERE kind = $1::smallint AND due_ms <= $2::bigint
        ${dueOrder} LIMIT $3::bigint`,
  /**
   * The same on Citus, of the nodes that can be reached; each one is asked for its shards over a connection of its own.
   * The first columns are the number of nodes that could not be asked, and of all nodes.
   */
  dueOfReachable: `WITH shards AS (
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
})

const ofTenant = (condition: string) => `tenant = $1::uuid AND kind = wanted.kind AND ${condition}`

/** Bytes come in one value and are cut here: as arrays they would be written and read as text. */
const putDocuments = `INSERT INTO documents (tenant, kind, ${columns})
  SELECT $1::uuid, kind, id, ordinal, version, created_us, modified_us, due_ms,
         substring($2::bytea FROM at FOR terms), substring($2::bytea FROM at + terms FOR uniques),
         substring($2::bytea FROM at + terms + uniques FOR box)
  FROM unnest($3::smallint[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
              $10::integer[], $11::integer[], $12::integer[], $13::integer[])
    AS new (kind, id, ordinal, version, created_us, modified_us, due_ms, at, terms, uniques, box)`

const putBlocks = `INSERT INTO blocks (tenant, kind, term, block, bits)
  SELECT $1::uuid, kind, term, block, substring($2::bytea FROM at FOR length)
  FROM unnest($3::smallint[], $4::uuid[], $5::integer[], $6::integer[], $7::integer[])
    AS new (kind, term, block, at, length)`

/** What a transaction reads and writes. All are of one tenant. */
export const writing = named({
  /**
   * Always in the same order, so that two transactions cannot wait for each other. The transaction that holds a row is the
   * only writer of its collection, so that what it reads cannot change.
   */
  lock: `SELECT kind, next_ordinal, last_us, last_created_us, edits FROM collections
         WHERE tenant = $1::uuid AND kind = ANY($2::smallint[]) ORDER BY kind FOR UPDATE`,
  /**
   * The same on Citus, which lets a shard move away from under rows that are only locked: another server could lock them on
   * the new node. It moves no shard that a transaction has written to.
   */
  lockOnCitus: `UPDATE collections SET edits = edits WHERE tenant = $1::uuid AND kind = ANY($2::smallint[])
                RETURNING kind, next_ordinal, last_us, last_created_us, edits`,
  addCollections: `INSERT INTO collections (tenant, kind, next_ordinal, last_us, last_created_us, edits)
                   SELECT $1::uuid, kind, 0, 0, -1, $3::bigint FROM unnest($2::smallint[]) AS missing (kind) ORDER BY kind
                   ON CONFLICT (tenant, kind) DO NOTHING`,
  headers: `SELECT found.* FROM unnest($2::smallint[], $3::uuid[]) AS wanted (kind, id),
            ${each(`kind, ${columns.replace(', box', '')}`, 'documents', ofTenant('id = wanted.id'))}`,
  holders: `SELECT found.* FROM unnest($2::smallint[], $3::uuid[]) AS wanted (kind, value),
            ${each('kind, value, holder', 'uniques', ofTenant('value = wanted.value'))}`,
  someBlocks: `SELECT found.* FROM unnest($2::smallint[], $3::uuid[], $4::integer[]) AS wanted (kind, term, block),
               ${each('kind, block, term, bits', 'blocks', ofTenant('term = wanted.term AND block = wanted.block'))}`,

  /** What others have added since, if it is not too much. */
  added: `SELECT found.* FROM unnest($2::smallint[], $3::bigint[]) AS wanted (kind, ordinal),
          ${each(`kind, ${columns.replace(', box', '')}`, 'documents', `${ofTenant('ordinal >= wanted.ordinal')} ORDER BY ordinal LIMIT $4::bigint`)}`,

  deleteDocuments: `DELETE FROM documents WHERE ${own} AND id = ANY($3::uuid[])`,
  deleteUniques: `DELETE FROM uniques WHERE ${own} AND value = ANY($3::uuid[])`,
  deleteBlocks: `DELETE FROM blocks WHERE ${own} AND block = $3::integer AND term = ANY($4::uuid[])`,
  putDocuments,
  replaceDocuments: `${putDocuments}
    ON CONFLICT (tenant, kind, id) DO UPDATE SET ordinal = excluded.ordinal, version = excluded.version,
      created_us = excluded.created_us, modified_us = excluded.modified_us,
      due_ms = excluded.due_ms, terms = excluded.terms, uniques = excluded.uniques, box = excluded.box`,
  putUniques: `INSERT INTO uniques (tenant, kind, value, holder)
               SELECT $1::uuid, * FROM unnest($2::smallint[], $3::uuid[], $4::uuid[])`,
  putBlocks,
  replaceBlocks: `${putBlocks} ON CONFLICT (tenant, kind, term, block) DO UPDATE SET bits = excluded.bits`,
  putCollections: `UPDATE collections
    SET next_ordinal = new.next_ordinal, last_us = new.last_us, last_created_us = new.last_created_us, edits = new.edits
    FROM unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
      AS new (kind, next_ordinal, last_us, last_created_us, edits)
    WHERE collections.tenant = $1::uuid AND collections.kind = new.kind`,
})

/** One statement, so that two concurrent calls cannot both succeed. */
export const takeLease: Statement = {
  name: 'takeLease',
  text: `INSERT INTO leases AS held (tenant, name, holder, until_ms) VALUES ($1, $2, $3, $5)
         ON CONFLICT (tenant, name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
         WHERE held.holder = excluded.holder OR held.until_ms <= $4
         RETURNING 1`,
}

/** Erases removed rows that no transaction can see any more. Not possible within a transaction. */
export const vacuum = ['documents', 'uniques', 'blocks'].map(table => `VACUUM ${table}`)

/** In the order in which commits lock tables, so that neither waits for the other. */
export const removeAll = 'TRUNCATE leases, collections, documents, uniques, blocks'

/** For work that grows with the database. */
export const disableTimeout = 'SET statement_timeout = 0'

/** Epoch milliseconds with a fraction; and if the database takes no writes, as a standby. */
export const timeAndState = `SELECT extract(epoch FROM clock_timestamp()) * 1000, current_setting('transaction_read_only') = 'on'`

/** All have the tenant first in their key. On Citus they are distributed by it. */
export const tables = ['documents', 'blocks', 'uniques', 'collections', 'leases'] as const

export const createTables = [
  `CREATE TABLE documents (
     tenant uuid NOT NULL, kind smallint NOT NULL, id uuid NOT NULL,
     ordinal bigint NOT NULL, version bigint NOT NULL,
     created_us bigint NOT NULL, modified_us bigint, due_ms bigint,
     terms bytea NOT NULL, uniques bytea NOT NULL, box bytea NOT NULL,
     PRIMARY KEY (tenant, kind, id)
   )`,
  'CREATE UNIQUE INDEX documents_ordinal ON documents (tenant, kind, ordinal)',
  'CREATE INDEX documents_modified ON documents (tenant, kind, modified_us) WHERE modified_us IS NOT NULL',
  'CREATE INDEX documents_due ON documents (kind, due_ms, tenant) WHERE due_ms IS NOT NULL',
  // Sealed boxes and digests cannot be compressed.
  'ALTER TABLE documents ALTER COLUMN box SET STORAGE EXTERNAL, ALTER COLUMN terms SET STORAGE EXTERNAL',
  // Which of 4096 documents have a term. Free space in a page keeps updates there.
  `CREATE TABLE blocks (
     tenant uuid NOT NULL, kind smallint NOT NULL, term uuid NOT NULL, block integer NOT NULL, bits bytea NOT NULL,
     PRIMARY KEY (tenant, kind, term, block)
   ) WITH (fillfactor = 85)`,
  'ALTER TABLE blocks ALTER COLUMN bits SET STORAGE PLAIN',
  `CREATE TABLE uniques (
     tenant uuid NOT NULL, kind smallint NOT NULL, value uuid NOT NULL, holder uuid NOT NULL,
     PRIMARY KEY (tenant, kind, value)
   )`,
  // One row per collection, which each commit updates.
  `CREATE TABLE collections (
     tenant uuid NOT NULL, kind smallint NOT NULL, next_ordinal bigint NOT NULL,
     last_us bigint NOT NULL, last_created_us bigint NOT NULL, edits bigint NOT NULL,
     PRIMARY KEY (tenant, kind)
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE leases (
     tenant uuid NOT NULL, name text NOT NULL, holder text NOT NULL, until_ms bigint NOT NULL,
     PRIMARY KEY (tenant, name)
   )`,
]
