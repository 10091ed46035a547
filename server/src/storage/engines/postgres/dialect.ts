import type { ClientBase } from 'pg'

/** Differences between databases of PostgreSQL's family. Their results are the same. */
export interface Dialect {
  /** Tables may be distributed, so statements are routed by tenant. */
  readonly isDistributed: boolean
  /** Has the extension that distributes tables. */
  readonly isCitus: boolean
}

export async function dialectOf(client: ClientBase): Promise<Dialect> {
  const { rows } = await client.query<{ version: string; citus: boolean }>(
    `SELECT version() AS version, EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`,
  )
  const { version = '', citus = false } = rows[0] ?? {}
  const isItself = version.startsWith('PostgreSQL ') && !version.includes('-YB-')
  return { isDistributed: !isItself || citus, isCitus: isItself && citus }
}
