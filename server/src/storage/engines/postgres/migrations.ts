/** What cannot be brought along: the query finds a row where there is some of it. */
export interface Obstacle {
  readonly query: string
  /** What it is and what to do about it, in one sentence. */
  readonly sentence: string
}

/** A step is refused where there is its obstacle. */
export interface Migration {
  readonly statements: readonly string[]
  readonly obstacle?: Obstacle
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
  // The order of lists, and the promise that no two documents of a collection share a stamp. With the due time
  // beside it the total of a range is counted in the index alone, in half the time.
  'CREATE UNIQUE INDEX documents_created ON documents (tenant, kind, created_us) INCLUDE (due_ms)',
  'CREATE INDEX documents_modified ON documents (tenant, kind, modified_us) WHERE modified_us IS NOT NULL',
  'CREATE INDEX documents_due ON documents (kind, due_ms) WHERE due_ms IS NOT NULL',
  // What waits to be put in place is read by every search, and whoever makes it too long puts it in place while
  // all others of its tenant wait: at the 4 MB of the default up to half a second, at 1 MB a quarter of that.
  'CREATE INDEX documents_terms ON documents USING gin (terms) WITH (gin_pending_list_limit = 1024)',
  // Totals are counted in an index as far as rows are known to be visible to all, which VACUUM finds out.
  'ALTER TABLE documents SET (autovacuum_vacuum_insert_scale_factor = 0.05)',
  // Sealed boxes look random: trying to compress them is work for nothing.
  'ALTER TABLE documents ALTER COLUMN box SET STORAGE EXTERNAL',
  `CREATE TABLE uniques (
     tenant uuid NOT NULL,
     kind smallint NOT NULL,
     value uuid NOT NULL,
     holder uuid NOT NULL,
     PRIMARY KEY (tenant, kind, value)
   )`,
  // One row per collection, changed by each commit: room in its page keeps the change there. It knows how many
  // documents there are, so that the total of all need not be counted.
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
 * The schema, as the steps that lead to it. A step that was published never changes: databases stand at it.
 * Each runs in a transaction of its own with the row that says so.
 */
export const migrations: readonly Migration[] = [
  { statements: firstTables },
  {
    // Tokens with several containers had other terms, by which they would not be found now. Only a server can make
    // new ones, and kind 6 was the registry of their combinations: without an entry there was never such a token.
    statements: [],
    obstacle: {
      query: 'SELECT 1 FROM collections WHERE kind = 6 AND documents > 0 LIMIT 1',
      sentence:
        'the database holds tokens with several containers, which have to be indexed anew: copy it into a data folder with the version of surrogate-server that wrote it, run reindex --repair of this version on the folder, and copy that into an empty database',
    },
  },
]

export const tables = ['documents', 'uniques', 'collections', 'leases'] as const

/** The index without which every search would read every document. */
export const searchIndex = 'documents_terms'
