import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { ofTheSystem, PostgresUnavailable } from './postgres/binaries.ts'
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres/server.ts'

/** A cluster of Citus on this machine: a coordinator and workers. */
export interface CitusCluster {
  readonly coordinator: PostgresServer
  readonly workers: readonly PostgresServer[]
  close(): Promise<void>
}

const settings = {
  shared_preload_libraries: 'citus',
  // To move shards while they are written to.
  wal_level: 'logical',
  // A commit over several nodes is prepared on each.
  max_prepared_transactions: '200',
  'citus.recover_2pc_interval': '5s',
  'citus.enable_statistics_collection': 'off',
  // Citus makes the code of a deadlock when it logs the error, and otherwise leaves that of a cancelled statement.
  log_min_messages: 'error',
  // Enough for tests, and quicker to make than 32.
  'citus.shard_count': '4',
}

/** Returns an installed PostgreSQL that has the extension. @throws {PostgresUnavailable} */
export async function findCitus(): Promise<string> {
  const found = (await ofTheSystem()).find(folder => existsSync(join(folder, 'lib', 'citus.so')))
  if (found !== undefined) return found
  throw new PostgresUnavailable('no PostgreSQL of the system has the extension citus')
}

/** Starts three servers and makes them a cluster. @throws {PostgresUnavailable} */
export async function startCitus(options: PostgresOptions = {}): Promise<CitusCluster> {
  const program = await findCitus()
  const password = randomBytes(12).toString('hex')
  const servers: PostgresServer[] = []
  const close = async () => {
    await Promise.all(servers.map(server => server.close()))
  }
  try {
    for (let node = 0; node < 3; node++) {
      const server = await startPostgres({
        ...options,
        program,
        password,
        settings: { ...settings, ...options.settings },
      })
      servers.push(server)
      await queryOn(server.url, 'CREATE EXTENSION citus')
    }
    const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]]
    const at = ({ url }: PostgresServer) => `'127.0.0.1', ${new URL(url).port}`
    await queryOn(coordinator.url, `SELECT citus_set_coordinator_host(${at(coordinator)})`)
    for (const worker of workers) await queryOn(coordinator.url, `SELECT citus_add_node(${at(worker)})`)
    return { coordinator, workers, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The coordinator of a cluster that a run gives its tests. */
const { SURROGATE_TEST_CITUS: given } = process.env

/** Options of a test that needs a cluster: the reason to skip it where there is none. */
export const withCitus: { readonly skip?: string } =
  given === undefined ? { skip: 'no Citus here: npm run verify -- citus' } : {}

/** Options of a test that ends nodes, and so needs a cluster of its own. */
export const withOwnCitus: { readonly skip?: string } =
  given === undefined
    ? withCitus
    : await findCitus().then(
        () => ({}),
        error => ({ skip: (error as Error).message }),
      )

/** Returns the URLs of all nodes for the user of this one, the coordinator first. */
export async function nodesOf(url: string): Promise<string[]> {
  const rows = await queryOn<{ host: string; port: number }>(
    url,
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid',
  )
  return rows.map(({ host, port }) => Object.assign(new URL(url), { host: `${host}:${port}` }).href)
}

/** Returns the shard of a tenant, and the port of the worker that has it. */
export async function placeOf(url: string, tenant: string): Promise<{ shard: string; port: number }> {
  const rows = await queryOn<{ shard: string; port: number }>(
    url,
    `SELECT shardid AS shard, nodeport AS port FROM pg_dist_shard_placement
     WHERE shardid = get_shard_id_for_distribution_column('documents', $1::uuid)`,
    [tenant],
  )
  const [place] = rows
  if (!place) throw new Error('the tenant is on no node')
  return place
}

/** Runs one statement on a connection of its own. Returns its rows. */
export async function queryOn<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
