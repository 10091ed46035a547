/** What a migration did, or would do. */
export interface Migrated {
  /** The version before; 0 if there was no schema. */
  readonly from: number
  readonly to: number
  /** On Citus: what its tables need besides, in words that follow "to". */
  readonly placing?: readonly string[]
}

/** A step of the schema. */
export interface Migration {
  readonly statements: readonly string[]
  /**
   * The version that servers must know to use the database after this step: an earlier one for a step that only adds
   * what they ignore, or only removes what they do not use. By default only servers that know the step may use it.
   */
  readonly oldest?: number
  /**
   * The statements change a limited number of rows, the last one those that decide if the step is done: it is repeated
   * until it changes none, each time in a transaction of its own. So servers wait for short moments only, and an
   * interrupted migration goes on where it was.
   */
  readonly repeats?: true
  /**
   * Data that the step cannot migrate: it is refused if the query finds a row. The sentence tells the operator what it
   * is and what to do about it.
   */
  readonly obstacle?: { readonly query: string; readonly sentence: string }
}

const firstTables = [
  `CREATE TABLE documents (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     id uuid NOT NULL,
     version bigint NOT NULL,
     created_us bigint NOT NULL,
     modified_us bigint,
     due_ms bigint,
     terms uuid[] NOT NULL,
     uniques uuid[] NOT NULL,
     box bytea NOT NULL,
     PRIMARY KEY (tenant, kind, id)
   )`,
  // For the order of lists, and so that no two documents of a collection share a stamp. Including the due time, it
  // lets the total of a range be counted in the index alone, in half the time.
  'CREATE UNIQUE INDEX documents_created ON documents (tenant, kind, created_us) INCLUDE (due_ms)',
  'CREATE INDEX documents_modified ON documents (tenant, kind, modified_us) WHERE modified_us IS NOT NULL',
  'CREATE INDEX documents_due ON documents (kind, due_ms) WHERE due_ms IS NOT NULL',
  // Every search reads the pending list, and the insert that fills it empties it while other writers of its tenant
  // wait: up to half a second with the default of 4 MB, a quarter of that with 1 MB.
  'CREATE INDEX documents_terms ON documents USING gin (terms) WITH (gin_pending_list_limit = 1024)',
  // Totals are counted in an index alone only for pages that VACUUM has marked as visible to all.
  'ALTER TABLE documents SET (autovacuum_vacuum_insert_scale_factor = 0.05)',
  // Sealed boxes cannot be compressed.
  'ALTER TABLE documents ALTER COLUMN box SET STORAGE EXTERNAL',
  `CREATE TABLE uniques (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     value uuid NOT NULL,
     holder uuid NOT NULL,
     PRIMARY KEY (tenant, kind, value)
   )`,
  // One row per collection, which each commit updates; free space in its page keeps the update there. It has the
  // number of documents, so that the total of all need not be counted.
  `CREATE TABLE collections (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     last_us bigint NOT NULL,
     last_created_us bigint NOT NULL,
     documents bigint NOT NULL,
     PRIMARY KEY (tenant, kind)
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE leases (
     tenant uuid NOT NULL,
     name text NOT NULL,
     holder text NOT NULL,
     until_ms bigint NOT NULL,
     PRIMARY KEY (tenant, name)
   )`,
]

/**
 * Totals of large collections: see `blocks/`. Only tables and columns are added, so that servers of the version before
 * go on working, and nothing is rewritten. All is derived from `documents`, and may be removed at any time.
 */
const blocksForTotals = [
  // A long reader, such as a backup, must not make this step wait, and all writers behind it.
  `SET LOCAL lock_timeout = '5s'`,
  // All NULL until a collection is folded. The last two are those of the last commit that kept its blocks correct.
  `ALTER TABLE collections ADD COLUMN folded_us bigint, ADD COLUMN unfolded bigint NOT NULL DEFAULT 0,
     ADD COLUMN known_stamps bigint, ADD COLUMN known_documents bigint`,
  // The documents of a block by their stamps, and which of them are still there.
  `CREATE TABLE blocks (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     block integer NOT NULL,
     first_us bigint NOT NULL,
     last_us bigint NOT NULL,
     live bit(8192) NOT NULL,
     stamps bigint[] NOT NULL,
     PRIMARY KEY (tenant, kind, block)
   )`,
  `CREATE TABLE term_blocks (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     term uuid NOT NULL,
     block integer NOT NULL,
     bits bit(8192) NOT NULL,
     PRIMARY KEY (tenant, kind, term, block)
   )`,
  // Every search would have to unpack them. Stamps are read only where a block has to be taken apart.
  'ALTER TABLE blocks ALTER COLUMN live SET STORAGE PLAIN, ALTER COLUMN stamps SET STORAGE EXTERNAL',
  'ALTER TABLE term_blocks ALTER COLUMN bits SET STORAGE PLAIN',
  `CREATE TABLE folded_terms (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     term uuid NOT NULL,
     documents bigint NOT NULL,
     PRIMARY KEY (tenant, kind, term)
   )`,
  // Documents that were removed or replaced after they were folded, as the blocks have them.
  `CREATE TABLE stale_documents (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     created_us bigint NOT NULL,
     terms uuid[] NOT NULL,
     PRIMARY KEY (tenant, kind, created_us)
   )`,
]

/** What was stored before cannot be used. */
const newRecords: Migration = {
  statements: [],
  obstacle: {
    query: 'SELECT 1 FROM documents LIMIT 1',
    sentence:
      'the database holds records of an earlier version, which this one cannot open: use the surrogate-server that wrote it, or an empty database',
  },
}

/**
 * The steps that create the schema. A published step must never change. Each runs in a transaction together with the
 * rows that record it. CONTRIBUTING.md says how to change the schema beside servers that run.
 */
export const migrations: readonly Migration[] = [
  { statements: firstTables },
  {
    // Tokens with several containers had other terms, which searches would not find now. SQL cannot make the new ones.
    // Kind 6 was the registry of combinations of containers: without an entry there was no such token.
    statements: [],
    obstacle: {
      query: 'SELECT 1 FROM collections WHERE kind = 6 AND documents > 0 LIMIT 1',
      sentence:
        'the database holds tokens with several containers, which have to be indexed anew: copy it into a data folder with the version of surrogate-server that wrote it, run reindex --repair of this version on the folder, and copy that into an empty database',
    },
  },
  // Servers of the version before recognize nothing of it; what they write is noticed.
  { statements: blocksForTotals, oldest: 2 },
  // Boxes were not bound to the times of their document, and deduplication would not find tokens.
  newRecords,
  // No address began with the time of its id.
  newRecords,
]

/** All have the tenant first in their key. On Citus they are distributed by it. */
export const tables = [
  'documents',
  'uniques',
  'collections',
  'leases',
  'blocks',
  'term_blocks',
  'folded_terms',
  'stale_documents',
] as const

/** Without this index every search would read all documents. */
export const searchIndex = 'documents_terms'
