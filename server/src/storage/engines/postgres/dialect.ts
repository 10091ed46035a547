import type { ClientBase } from 'pg'

/** Differences in speed between databases of PostgreSQL's family. Their results are the same. */
export interface Dialect {
  /** Combines several conditions on the search index in one search (PostgreSQL's bitmaps). */
  readonly anyIndex: boolean
  /** Tables are not distributed, so statements are not routed by tenant. */
  readonly undivided: boolean
  /** Has the extension that distributes tables. */
  readonly isCitus?: boolean
  /** Counts bits, and combines several conditions on an index, so that totals can be counted in blocks. */
  readonly countsBits: boolean
}

export async function dialectOf(client: ClientBase): Promise<Dialect> {
  const { rows } = await client.query<{ version: string; divided: boolean }>(
    `SELECT version() AS version, EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS divided`,
  )
  const { version = '', divided } = rows[0] ?? {}
  // YugabyteDB's search index takes one condition at a time.
  const isItself = version.startsWith('PostgreSQL ') && !version.includes('-YB-')
  const undivided = isItself && divided === false
  return {
    anyIndex: !version.includes('-YB-'),
    undivided,
    isCitus: isItself && divided === true,
    countsBits: undivided && Number.parseInt(version.slice('PostgreSQL '.length), 10) >= 14,
  }
}
