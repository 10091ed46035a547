import pg from 'pg'
import { openStore, parseStorage } from '../../../src/storage/open.ts'
import { placeOf, startCitus } from '../../support/citus.ts'
import { PostgresUnavailable } from '../../support/postgres/unavailable.ts'
import { mainProcessOf, settings } from './database.ts'
import { tenantIds } from './tenants.ts'

/** A cluster of Citus: a coordinator and two workers, by which the servers enter. */
export interface Cluster {
  readonly workerUrls: readonly string[]
  /** The main processes of the coordinator and the workers. */
  readonly pids: readonly number[]
  /** How many of the tenants each worker has. */
  readonly tenants: readonly number[]
  close(): Promise<void>
}

/** Starts an empty cluster, or returns why this machine cannot. */
export async function startCluster(): Promise<Cluster | string> {
  try {
    const { coordinator, workers, close } = await startCitus({
      durable: true,
      settings: { ...settings, 'citus.shard_count': '32' },
    })
    const store = await openStore(parseStorage(coordinator.url), { migrate: true })
    await store.close()
    const ports = await Promise.all(
      tenantIds.map(async tenant => (await placeOf(coordinator.url, tenant)).port),
    )
    const isOn = (url: string) => (port: number) => port === Number(new URL(url).port)
    return {
      workerUrls: workers.map(({ url }) => url),
      pids: await Promise.all([coordinator, ...workers].map(({ url }) => mainProcessAt(url))),
      tenants: workers.map(({ url }) => ports.filter(isOn(url)).length),
      close,
    }
  } catch (error) {
    if (!(error instanceof PostgresUnavailable)) throw error
    return error.message
  }
}

async function mainProcessAt(url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    return await mainProcessOf(pool)
  } finally {
    await pool.end()
  }
}
