import type { ClientBase } from 'pg'
import { missingSteps, oneAfterAnother, requireCoordinator } from './citus.ts'
import { dialectOf, once, orRefused } from './connect.ts'
import { DatabaseRefused, type Migrated, NoSchema } from './database-errors.ts'
import { codeOf } from './faults.ts'
import { createTables, tables, timeAndState } from './sql.ts'

/** The version of the schema that this server needs. CONTRIBUTING.md says how to change it beside servers that run. */
export const schemaVersion = 1

const undefinedTable = '42P01'
const insufficientPrivilege = '42501'
/** Another process created the same table at the same time. */
const createdMeanwhile = new Set(['23505', '42P07', '42710'])

/** Returns what `migrate` would do, and changes nothing. @throws {DatabaseRefused} where it would be refused */
export function planMigration(url: string): Promise<Migrated> {
  return orRefused(url, () => once(url, plan))
}

/** Creates the schema, and distributes it on Citus. Concurrent calls wait for the first. @throws {DatabaseRefused} */
export function migrate(url: string): Promise<Migrated> {
  return orRefused(url, () => once(url, migrateOver))
}

async function plan(client: ClientBase): Promise<Migrated> {
  const from = (await readVersion(client)) ?? 0
  refuseNewer(from)
  const steps = (await dialectOf(client)).isCitus ? await missingSteps(client) : []
  return { from, to: schemaVersion, placing: steps.map(({ says }) => says) }
}

async function migrateOver(client: ClientBase): Promise<Migrated> {
  const planned = await plan(client)
  if (planned.from === planned.to && planned.placing.length === 0) return planned
  const { isCitus } = await dialectOf(client)
  if (isCitus) await requireCoordinator(client)
  try {
    const made = client.query(
      'CREATE TABLE IF NOT EXISTS surrogate_schema (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL)',
    )
    await made.catch(error => {
      if (!createdMeanwhile.has(codeOf(error))) throw error
    })
    const from = await exclusively(client, isCitus, createOnce)
    const placing: string[] = []
    while (isCitus) {
      const step = await exclusively(client, isCitus, placeOnce)
      if (step === undefined) break
      placing.push(step)
    }
    return { from, to: schemaVersion, placing }
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
  isCitus: boolean,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN')
  if (isCitus) await client.query(oneAfterAnother)
  // Held until the end of the transaction: concurrent migrations wait here.
  await client.query('LOCK TABLE surrogate_schema IN EXCLUSIVE MODE')
  const result = await work(client)
  await client.query('COMMIT')
  return result
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
async function placeOnce(client: ClientBase): Promise<string | undefined> {
  const [step] = await missingSteps(client)
  for (const statement of step?.statements ?? []) await client.query(statement)
  return step?.says
}

/** Checks that a server can use the database, so that it fails at start and not at the first request. */
export async function checkSchema(client: ClientBase): Promise<void> {
  const state = await client.query<[string, boolean]>({ text: timeAndState, rowMode: 'array' })
  if (state.rows[0]?.[1]) {
    throw new DatabaseRefused('the database takes no writes: use the primary, not a read-only replica')
  }
  const version = await readVersion(client)
  if (!version) throw new NoSchema()
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
  const { rows } = await client.query<{ name: string; missing: boolean; allowed: boolean | null }>(
    `SELECT name, to_regclass(name) IS NULL AS missing,
            bool_and(has_table_privilege(to_regclass(name)::oid, right_name)) AS allowed
     FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place),
          unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed (right_name)
     GROUP BY name, place ORDER BY place`,
    [tables],
  )
  const missing = rows.find(row => row.missing)
  if (missing)
    throw new DatabaseRefused(`the table ${missing.name} is missing: restore the database from a backup`)
  const denied = rows.filter(({ allowed }) => !allowed).map(({ name }) => name)
  if (denied.length > 0) throw missingRights(denied, 'SELECT, INSERT, UPDATE and DELETE')
}

function missingRights(names: readonly string[], rights: string): DatabaseRefused {
  return new DatabaseRefused(
    `the database user lacks rights on the ${names.length === 1 ? 'table' : 'tables'} ${names.join(', ')}: grant it ${rights}`,
  )
}
