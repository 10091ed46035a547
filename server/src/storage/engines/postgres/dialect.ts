import type { ClientBase } from 'pg'

/** What a database of PostgreSQL's family does well. All of them answer the same. */
export interface Dialect {
  /** It combines several conditions on the search index in one search (PostgreSQL's bitmaps). */
  readonly anyIndex: boolean
  /** A table is one table: no statement is sent somewhere by the tenant it names. */
  readonly undivided: boolean
}

export async function dialectOf(client: ClientBase): Promise<Dialect> {
  const { rows } = await client.query<{ version: string; divided: boolean }>(
    `SELECT version() AS version, EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS divided`,
  )
  const { version = '', divided } = rows[0] ?? {}
  // YugabyteDB's search index answers for one condition at a time.
  const isItself = version.startsWith('PostgreSQL ') && !version.includes('-YB-')
  return { anyIndex: !version.includes('-YB-'), undivided: isItself && divided === false }
}
