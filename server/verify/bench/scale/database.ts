import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../support/postgres/server.ts'

/** Usual settings for a machine of this size; every commit waits for the disk. */
export const settings = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  random_page_cost: '1.1',
  jit: 'off',
}

export interface Database {
  readonly url: string
  readonly pool: pg.Pool
  /** The main process of the database; all others are its children. */
  readonly pid: number
  close(): Promise<void>
}

/**
 * Starts PostgreSQL with its data in this folder, where they remain.
 * @param program the installed PostgreSQL to run, instead of any that is found
 * @throws {PostgresUnavailable}
 */
export async function startDatabase(folder: string, program?: string): Promise<Database> {
  const server: PostgresServer = await startPostgres({
    durable: true,
    folder,
    settings,
    ...(program === undefined ? {} : { program }),
  })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  pool.on('error', () => {})
  return {
    url: server.url,
    pool,
    pid: await mainProcessOf(pool),
    close: async () => {
      await pool.end()
      await server.close()
    },
  }
}

export async function mainProcessOf(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  )
  return Number(rows[0]?.pid)
}
