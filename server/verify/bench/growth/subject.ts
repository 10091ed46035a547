import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openStore, parseStorage } from '../../../src/storage/open.ts'
import { startCitus } from '../../support/citus.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { sum } from '../figures.ts'
import { postgresSettings } from '../postgres-settings.ts'
import { familyUs } from '../servers.ts'

/** What is measured, where its tokens are kept. */
export interface Subject {
  readonly storage: string
  /** Another store, for a restored backup. It is empty, or can be emptied. */
  emptyStorage(): Promise<string>
  /** Returns the processor time of the processes of the database, in microseconds. */
  databaseUs(): number
  /** Returns the bytes that it has on disk. */
  diskBytes(): Promise<number>
  close(): Promise<void>
}

/** @param given a database that exists and stays, so that a measurement can go on there */
export async function openSubject(engine: string, folder: string, given?: string): Promise<Subject> {
  if (engine === 'level') return onLevel(folder)
  if (given !== undefined) return onDatabase(given, await processesOf(given), async () => {})
  if (engine === 'postgres') {
    const server = await startPostgres({ durable: true, settings: postgresSettings })
    return onDatabase(server.url, [server.pid], () => server.close())
  }
  if (engine !== 'citus') throw new Error('--engine must be level, postgres or citus')
  const cluster = await startCitus({
    durable: true,
    settings: { ...postgresSettings, 'citus.shard_count': '32' },
  })
  const pids = [cluster.coordinator, ...cluster.workers].map(({ pid }) => pid)
  return onDatabase(cluster.coordinator.url, pids, () => cluster.close())
}

function onLevel(folder: string): Subject {
  let made = 0
  return {
    storage: `level:${join(folder, 'data')}`,
    emptyStorage: async () => `level:${join(folder, `restored-${process.pid}-${made++}`)}`,
    databaseUs: () => 0,
    diskBytes: async () => bytesIn(join(folder, 'data')),
    close: async () => {},
  }
}

async function onDatabase(
  url: string,
  pids: readonly number[],
  close: () => Promise<void>,
): Promise<Subject> {
  await (await openStore(parseStorage(url), { migrate: true })).close()
  return {
    storage: url,
    emptyStorage: async () => {
      await query(url, 'DROP DATABASE IF EXISTS restored')
      await query(url, 'CREATE DATABASE restored')
      const other = new URL(url)
      other.pathname = '/restored'
      await (await openStore(parseStorage(other.href), { migrate: true })).close()
      return other.href
    },
    databaseUs: () => sum(pids.map(familyUs)),
    diskBytes: async () => {
      const [row] = await query(url, 'SELECT pg_database_size(current_database()) AS bytes')
      return Number(row?.bytes)
    },
    close,
  }
}

/** Returns the main process of a PostgreSQL on this machine, if it is on this machine. */
async function processesOf(url: string): Promise<number[]> {
  const [row] = await query(url, 'SHOW data_directory')
  const file = join(String(row?.data_directory), 'postmaster.pid')
  return existsSync(file) ? [Number(readFileSync(file, 'latin1').split('\n')[0])] : []
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function bytesIn(folder: string): number {
  return sum(
    readdirSync(folder, { withFileTypes: true, recursive: true }).map(entry =>
      entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0,
    ),
  )
}
