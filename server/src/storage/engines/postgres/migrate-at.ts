import type { PoolClient } from 'pg'
import { firstUse, openPool, withoutTimeLimits } from './connect.ts'
import { DatabaseRefused, OnWorker } from './database-errors.ts'
import type { Migrated } from './migrated.ts'
import { migrate } from './schema.ts'

/** Uses a database once, on a connection of its own. @throws {DatabaseRefused} */
export async function once<Result>(
  url: string,
  use: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const { pool } = openPool(url, () => {})
  try {
    return await firstUse(url, pool, client => withoutTimeLimits(client, () => use(client)))
  } finally {
    await pool.end()
  }
}

/** Creates or upgrades the schema of a database. @throws {DatabaseRefused} */
export function migrateAt(url: string): Promise<Migrated> {
  return once(url, client => migrateOver(url, client))
}

/** The same over a connection to it. A worker of Citus leaves it to the coordinator. @throws {DatabaseRefused} */
export async function migrateOver(url: string, client: PoolClient): Promise<Migrated> {
  try {
    return await withoutTimeLimits(client, () => migrate(client))
  } catch (error) {
    const coordinator = error instanceof OnWorker ? error.coordinatorOf(url) : undefined
    if (coordinator === undefined) throw error
    return migrateAt(coordinator).catch(reason => {
      const { message = '' } = reason as Error
      throw reason instanceof DatabaseRefused
        ? new DatabaseRefused(`${(error as Error).message}; ${message}`)
        : reason
    })
  }
}
