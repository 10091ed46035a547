import type { ClientBase } from 'pg'
import { DatabaseRefused, OnWorker } from './database-errors.ts'
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
  /** Tables of one group have the rows of a tenant on the same node. */
  readonly group?: number | null
  /** The table on the coordinator has rows from before it was distributed, which no statement sees. */
  readonly remains: boolean
}

/** The first of the tables: the others are placed like it. */
const [leader] = tables

/** Returns the steps that are missing. @throws {DatabaseRefused} for tables that were distributed in another way */
export function stepsFor(placed: readonly Placed[]): Step[] {
  const group = placed.find(({ name }) => name === leader)?.group ?? undefined
  return placed.flatMap(({ name, column, everywhere, group: own, remains }): Step[] => {
    const erase = `SELECT truncate_local_data_after_distributing_table('${name}')`
    const left = remains
      ? [{ says: `erase what is left of ${name} on the coordinator`, statements: [erase] }]
      : []
    if (name === versions) {
      if (everywhere) return left
      return [
        {
          says: `copy ${name} to every node`,
          statements: [`SELECT create_reference_table('${name}')`, erase],
        },
      ]
    }
    if (everywhere || (column && column !== 'tenant')) {
      throw new DatabaseRefused(
        `the table ${name} is distributed, but not by tenant: SELECT undistribute_table('${name}'), then run this again`,
      )
    }
    if (column && own !== group) {
      throw new DatabaseRefused(
        `the table ${name} is not placed like ${leader}: SELECT alter_distributed_table('${name}', colocate_with => '${leader}'), then run this again`,
      )
    }
    if (column) return left
    const like = name === leader ? 'none' : leader
    const make = `SELECT create_distributed_table('${name}', 'tenant', colocate_with => '${like}')`
    return [{ says: `distribute ${name} by tenant`, statements: [make, erase] }]
  })
}

/** Has the version of the schema. */
const versions = 'surrogate_schema'

/** Returns what is missing now. The names are those of the search path. @throws {DatabaseRefused} */
export async function missingSteps(client: ClientBase): Promise<Step[]> {
  const { rows } = await client.query<Placed>(
    `SELECT name, column_to_column_name(at.logicalrelid, at.partkey) AS column, at.colocationid AS group,
            coalesce(at.repmodel = 't', FALSE) AS everywhere,
            coalesce(at.logicalrelid IS NOT NULL AND pg_relation_size(to_regclass(name)) > 0, FALSE) AS remains
     FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place)
     LEFT JOIN pg_dist_partition AS at ON at.logicalrelid = to_regclass(name) ORDER BY place`,
    [[...tables, versions]],
  )
  return stepsFor(rows)
}

/** @throws {OnWorker} */
export async function requireCoordinator(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ host: string | null; port: number | null }>(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_local_group AS own
     LEFT JOIN pg_dist_node AS other ON other.groupid = 0 WHERE own.groupid <> 0 LIMIT 1`,
  )
  if (rows[0]) throw new OnWorker(rows[0])
}

/** A transaction may change tables of every node after it read them only if its statements follow each other. */
export const oneAfterAnother = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"
