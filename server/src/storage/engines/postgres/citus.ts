import type { ClientBase } from 'pg'
import { DatabaseRefused } from './database-errors.ts'
import { tables } from './sql.ts'

/** A change that tables need on Citus: what it does, in words that follow "to", and its statements. */
interface Step {
  readonly says: string
  readonly statements: readonly string[]
}

/** What the cluster knows about a table. */
export interface Placed {
  readonly name: string
  /** The column that it is distributed by; absent for a table that is not, or that every node has whole. */
  readonly column?: string | null
  /** Every node has all of it. */
  readonly everywhere: boolean
}

/** The first of the tables: the others are placed like it, so that all rows of a tenant are on one node. */
const [leader] = tables

/** Returns the steps that are missing. @throws {DatabaseRefused} for tables that were distributed in another way */
export function stepsFor(placed: readonly Placed[]): Step[] {
  return placed.flatMap(({ name, column, everywhere }): Step[] => {
    // What was distributed stays on the coordinator otherwise, where no statement would ever erase it.
    const erase = `SELECT truncate_local_data_after_distributing_table('${name}')`
    if (name === versions) {
      const make = `SELECT create_reference_table('${name}')`
      return everywhere ? [] : [{ says: `copy ${name} to every node`, statements: [make, erase] }]
    }
    if (everywhere || (column && column !== 'tenant')) {
      throw new DatabaseRefused(
        `the table ${name} is distributed, but not by tenant: SELECT undistribute_table('${name}'), then run this again`,
      )
    }
    const like = name === leader ? 'none' : leader
    const make = `SELECT create_distributed_table('${name}', 'tenant', colocate_with => '${like}')`
    return column ? [] : [{ says: `distribute ${name} by tenant`, statements: [make, erase] }]
  })
}

/** Has the version of the schema. */
const versions = 'surrogate_schema'

/** Returns what is missing now. The names are those of the search path. @throws {DatabaseRefused} */
export async function missingSteps(client: ClientBase): Promise<Step[]> {
  const { rows } = await client.query<Placed>(
    `SELECT name, column_to_column_name(at.logicalrelid, at.partkey) AS column,
            coalesce(at.repmodel = 't', FALSE) AS everywhere
     FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place)
     LEFT JOIN pg_dist_partition AS at ON at.logicalrelid = to_regclass(name) ORDER BY place`,
    [[...tables, versions]],
  )
  return stepsFor(rows)
}

/** Only the coordinator can create and distribute tables. @throws {DatabaseRefused} */
export async function requireCoordinator(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ host: string | null; port: number | null }>(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_local_group AS own
     LEFT JOIN pg_dist_node AS other ON other.groupid = 0 WHERE own.groupid <> 0 LIMIT 1`,
  )
  if (!rows[0]) return
  const { host, port } = rows[0]
  const place = host === null ? '' : ` ${host}:${port}`
  throw new DatabaseRefused(
    `this database is a worker of Citus, and its schema is not ready: run surrogate-server migrate with the URL of the coordinator${place}`,
  )
}

/** A transaction may change tables of every node after it read them only if its statements follow each other. */
export const oneAfterAnother = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"
