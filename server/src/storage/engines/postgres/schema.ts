import type { ClientBase } from 'pg'
import { DatabaseRefused, NoSchema } from './database-errors.ts'
import { dialectOf } from './dialect.ts'
import { codeOf } from './faults.ts'
import type { Migrated } from './migrated.ts'
import { createTables, isReadOnly, tables } from './sql.ts'

/** The version of the schema that this server needs. CONTRIBUTING.md says how to change it beside servers that run. */
export const schemaVersion = 1

const undefinedTable = '42P01'
const insufficientPrivilege = '42501'
/** Another process created the same table at the same time. */
const createdMeanwhile = new Set(['23505', '42P07', '42710'])

type Citus = typeof import('./citus.ts')

/** Only a migration needs it, and few databases have the extension. */
async function citusOf(client: ClientBase): Promise<Citus | undefined> {
  return (await dialectOf(client)).isCitus ? import('./citus.ts') : undefined
}

/** Returns what `migrate` would do, and changes nothing. @throws {DatabaseRefused} where it would be refused */
export async function planMigration(client: ClientBase): Promise<Migrated> {
  const from = (await readVersion(client)) ?? 0
  refuseNewer(from)
  const citus = await citusOf(client)
  const steps = await citus?.missingSteps(client)
  return { from, to: schemaVersion, ...(steps && { placing: steps.map(({ says }) => says) }) }
}

/** Creates the schema, and distributes it on Citus. Concurrent calls wait for the first. @throws {DatabaseRefused} */
export async function migrate(client: ClientBase): Promise<Migrated> {
  const citus = await citusOf(client)
  if (citus) {
    const plan = await planMigration(client)
    if (plan.from === plan.to && plan.placing?.length === 0) return plan
    await citus.requireCoordinator(client)
  }
  try {
    const made = client.query(
      'CREATE TABLE IF NOT EXISTS surrogate_schema (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL)',
    )
    await made.catch(error => {
      if (!createdMeanwhile.has(codeOf(error))) throw error
    })
    const from = await exclusively(client, citus, () => createOnce(client))
    if (!citus) return { from, to: schemaVersion }
    const placing: string[] = []
    for (;;) {
      const step = await exclusively(client, citus, () => placeOnce(client, citus))
      if (step === undefined) return { from, to: schemaVersion, placing }
      placing.push(step)
    }
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error
    throw new DatabaseRefused(
      'the database user may not create tables: grant it CREATE on the schema, or migrate as its owner',
    )
  }
}

/** Runs work in a transaction that no other migration runs beside. */
async function exclusively<Result>(
  client: ClientBase,
  citus: Citus | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN')
  try {
    if (citus) await client.query(citus.oneAfterAnother)
    // Held until the end of the transaction: concurrent migrations wait here.
    await client.query('LOCK TABLE surrogate_schema IN EXCLUSIVE MODE')
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Creates the tables where there are none. Returns the version before. */
async function createOnce(client: ClientBase): Promise<number> {
  const from = (await readVersion(client)) ?? 0
  refuseNewer(from)
  if (from === schemaVersion) return from
  for (const statement of createTables) await client.query(statement)
  await client.query('INSERT INTO surrogate_schema VALUES ($1, now())', [schemaVersion])
  return from
}

/** Does what is missing first on Citus, one table at a time: what an interrupted migration did stays. */
async function placeOnce(client: ClientBase, citus: Citus): Promise<string | undefined> {
  const [step] = await citus.missingSteps(client)
  for (const statement of step?.statements ?? []) await client.query(statement)
  return step?.says
}

/** Checks that a server can use the database, so that it fails at start and not at the first request. */
export async function checkSchema(client: ClientBase): Promise<void> {
  const readOnly = await client.query<{ transaction_read_only: string }>(isReadOnly)
  if (readOnly.rows[0]?.transaction_read_only === 'on') {
    throw new DatabaseRefused('the database takes no writes: use the primary, not a read-only replica')
  }
  const version = await readVersion(client)
  if (!version) {
    throw new NoSchema()
  }
  refuseNewer(version)
  await checkRights(client)
}

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return
  throw new DatabaseRefused(
    `the database has schema ${version}, and this server knows only ${schemaVersion}: use a server as new as the one that migrated it`,
  )
}

/** Returns the version of the schema; `undefined` if there is none. */
async function readVersion(client: ClientBase): Promise<number | undefined> {
  try {
    const { rows } = await client.query<{ version: number | null }>(
      'SELECT max(version) AS version FROM surrogate_schema',
    )
    return rows[0]?.version ?? undefined
  } catch (error) {
    if (codeOf(error) === undefinedTable) return undefined
    if (codeOf(error) === insufficientPrivilege) throw missingRights(['surrogate_schema'], 'SELECT')
    throw error
  }
}

/** @throws {DatabaseRefused} that names all tables that lack rights */
async function checkRights(client: ClientBase): Promise<void> {
  const denied: string[] = []
  for (const table of tables) {
    try {
      const { rows } = await client.query<{ allowed: boolean }>(
        `SELECT bool_and(has_table_privilege($1, right_name)) AS allowed
         FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed (right_name)`,
        [table],
      )
      if (rows[0]?.allowed !== true) denied.push(table)
    } catch (error) {
      if (codeOf(error) !== undefinedTable) throw error
      throw new DatabaseRefused(`the table ${table} is missing: restore the database from a backup`)
    }
  }
  if (denied.length > 0) throw missingRights(denied, 'SELECT, INSERT, UPDATE and DELETE')
}

function missingRights(names: readonly string[], rights: string): DatabaseRefused {
  return new DatabaseRefused(
    `the database user lacks rights on the ${names.length === 1 ? 'table' : 'tables'} ${names.join(', ')}: grant it ${rights}`,
  )
}
