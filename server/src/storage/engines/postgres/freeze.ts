import type { Pool, PoolClient, PoolConfig } from 'pg'

/** Settings of a pool whose only connection stays open. */
export const oneConnection: PoolConfig = { max: 1, idleTimeoutMillis: 0, query_timeout: 0 }

/**
 * Begins a transaction on the only connection of a pool, in which all that follows is read from one state. Another
 * connection, after this one broke, would read another state: it is refused.
 */
export async function freeze(pool: Pool, client: PoolClient): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  await client.query('SET LOCAL statement_timeout = 0')
  // Before it is lent to anyone.
  pool.on('connect', other => void other.end())
}
