import type { ClientBase } from 'pg'
import { codeOf } from './faults.ts'
import { migrations, type Obstacle, searchIndex, tables } from './migrations.ts'
import { DatabaseRefused } from './refused.ts'
import { isReadOnly } from './sql.ts'

/** The schema this server works with. */
export const schemaVersion = migrations.length

const undefinedTable = '42P01'
const insufficientPrivilege = '42501'
/** Two who make the same table at once. */
const madeMeanwhile = new Set(['23505', '42P07', '42710'])

export interface Migrated {
  /** The version that was found; 0 where there was no schema. */
  readonly from: number
  readonly to: number
}

/** Makes or raises the schema. Of several who do it at once one works and the others wait. @throws {DatabaseRefused} */
export async function migrate(client: ClientBase): Promise<Migrated> {
  try {
    await makeVersionTable(client)
    const from = await readVersion(client)
    for (;;) {
      const version = await raise(client)
      if (version === schemaVersion) return { from: from ?? 0, to: version }
    }
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error
    throw new DatabaseRefused(
      'the database user may not make tables here: grant it CREATE on the schema, or migrate as its owner',
    )
  }
}

async function makeVersionTable(client: ClientBase): Promise<void> {
  try {
    await client.query(
      'CREATE TABLE IF NOT EXISTS surrogate_schema (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL)',
    )
  } catch (error) {
    if (!madeMeanwhile.has(codeOf(error))) throw error
  }
}

/** One step, or none where the schema is there already. Answers the version it has now. */
async function raise(client: ClientBase): Promise<number> {
  await client.query('BEGIN')
  try {
    // Held to the end of the transaction: whoever else migrates waits here and then sees what was done.
    await client.query('LOCK TABLE surrogate_schema IN EXCLUSIVE MODE')
    const version = (await readVersion(client)) ?? 0
    refuseNewer(version)
    const migration = migrations[version]
    if (migration) {
      await refuseObstacle(client, migration.obstacle)
      for (const statement of migration.statements) await client.query(statement)
      await client.query('INSERT INTO surrogate_schema VALUES ($1, now())', [version + 1])
    }
    await client.query('COMMIT')
    return migration ? version + 1 : version
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** @throws {DatabaseRefused} */
async function refuseObstacle(client: ClientBase, obstacle?: Obstacle): Promise<void> {
  if (!obstacle) return
  const { rows } = await client.query(obstacle.query)
  if (rows.length > 0) throw new DatabaseRefused(obstacle.sentence)
}

/** Makes sure that a server can work here, so that it is refused at start and not at the first request. */
export async function checkSchema(client: ClientBase): Promise<void> {
  const readOnly = await client.query<{ transaction_read_only: string }>(isReadOnly)
  if (readOnly.rows[0]?.transaction_read_only === 'on') {
    throw new DatabaseRefused(
      'the database takes no writes: name the primary, not a replica that is only read',
    )
  }
  const version = await readVersion(client)
  if (version === undefined) {
    throw new DatabaseRefused(
      'the database has no schema of ours: run surrogate-server migrate with the same --storage',
    )
  }
  refuseNewer(version)
  if (version < schemaVersion) {
    throw new DatabaseRefused(
      `the database has schema ${version}, and this server needs ${schemaVersion}: run surrogate-server migrate with the same --storage`,
    )
  }
  await checkRights(client)
  await checkSearchIndex(client)
}

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return
  throw new DatabaseRefused(
    `the database has schema ${version}, and this server knows ${schemaVersion}: use a server as new as the one that migrated it`,
  )
}

/** `undefined` where there is no schema of ours. */
async function readVersion(client: ClientBase): Promise<number | undefined> {
  try {
    const { rows } = await client.query<{ version: number | null }>(
      'SELECT max(version) AS version FROM surrogate_schema',
    )
    return Number(rows[0]?.version ?? 0)
  } catch (error) {
    if (codeOf(error) === undefinedTable) return undefined
    if (codeOf(error) === insufficientPrivilege) throw missingRight('surrogate_schema')
    throw error
  }
}

async function checkRights(client: ClientBase): Promise<void> {
  for (const table of tables) {
    try {
      const { rows } = await client.query<{ allowed: boolean }>(
        `SELECT bool_and(has_table_privilege($1, right_name)) AS allowed
         FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed (right_name)`,
        [table],
      )
      if (rows[0]?.allowed !== true) throw missingRight(table)
    } catch (error) {
      if (codeOf(error) !== undefinedTable) throw error
      throw new DatabaseRefused(`the table ${table} is missing: restore the database from a backup`)
    }
  }
}

function missingRight(table: string): DatabaseRefused {
  return new DatabaseRefused(
    `the database user lacks rights on the table ${table}: grant it SELECT, INSERT, UPDATE and DELETE`,
  )
}

/** Without it all would be right and nothing fast: every search would read every document there is. */
async function checkSearchIndex(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    `SELECT indisvalid AND indisready AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [searchIndex],
  )
  if (rows[0]?.valid === true) return
  throw new DatabaseRefused(
    `the search index ${searchIndex} is missing or was never finished: CREATE INDEX ${searchIndex} ON documents USING gin (terms) WITH (gin_pending_list_limit = 1024)`,
  )
}
