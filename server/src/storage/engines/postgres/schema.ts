import type { ClientBase } from 'pg'
import { DatabaseRefused } from './database-errors.ts'
import { dialectOf } from './dialect.ts'
import { codeOf } from './faults.ts'
import { type Migrated, type Migration, migrations, searchIndex, tables } from './migrations.ts'
import { isReadOnly } from './sql.ts'

/** The version of the schema that this server needs. */
export const schemaVersion = migrations.length

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
  const { done: from, needed } = (await readVersion(client)) ?? none
  refuseNewer(needed)
  // Without a schema there is nothing that could be in the way.
  if (from > 0) await refuseObstacle(client, migrations[from])
  const citus = await citusOf(client)
  const steps = await citus?.missingSteps(client)
  const to = Math.max(from, schemaVersion)
  return { from, to, ...(steps && { placing: steps.map(({ says }) => says) }) }
}

/**
 * Creates or upgrades the schema, and distributes it on Citus. Concurrent calls wait for the first.
 * @param steps those of this version; others only in tests
 * @throws {DatabaseRefused}
 */
export async function migrate(
  client: ClientBase,
  steps: readonly Migration[] = migrations,
): Promise<Migrated> {
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
    const { done: from } = (await readVersion(client)) ?? none
    let to = from
    do to = await exclusively(client, citus, () => upgradeOnce(client, steps))
    while (to < steps.length)
    if (!citus) return { from, to }
    const placing: string[] = []
    for (;;) {
      const step = await exclusively(client, citus, () => placeOnce(client, citus))
      if (step === undefined) return { from, to, placing }
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

/** Runs the next step, if there is one, or one turn of it. Returns the version after it. */
async function upgradeOnce(client: ClientBase, steps: readonly Migration[]): Promise<number> {
  const { done, needed } = (await readVersion(client)) ?? none
  refuseNewer(needed, steps.length)
  const migration = steps[done]
  if (!migration) return done
  await refuseObstacle(client, migration)
  let changed = 0
  for (const statement of migration.statements) changed = (await client.query(statement)).rowCount ?? 0
  if (migration.repeats && changed > 0) return done
  await record(client, done + 1, migration.oldest)
  return done + 1
}

/**
 * Records a step. A positive number is a version that servers must know. A step that older ones need not know is
 * recorded as a negative number: they look for the greatest, so they do not notice it.
 */
async function record(client: ClientBase, version: number, oldest = version): Promise<void> {
  await client.query(
    'INSERT INTO surrogate_schema SELECT n, now() FROM unnest($1::integer[]) AS n ON CONFLICT DO NOTHING',
    [oldest < version ? [-version, oldest] : [version]],
  )
}

/** Does what is missing first on Citus, one table at a time: what an interrupted migration did stays. */
async function placeOnce(client: ClientBase, citus: Citus): Promise<string | undefined> {
  const [step] = await citus.missingSteps(client)
  for (const statement of step?.statements ?? []) await client.query(statement)
  return step?.says
}

async function refuseObstacle(client: ClientBase, migration: Migration | undefined): Promise<void> {
  const obstacle = migration?.obstacle
  if (obstacle && (await client.query(obstacle.query)).rows.length > 0) {
    throw new DatabaseRefused(obstacle.sentence)
  }
}

/** Checks that a server can use the database, so that it fails at start and not at the first request. */
export async function checkSchema(client: ClientBase): Promise<void> {
  const readOnly = await client.query<{ transaction_read_only: string }>(isReadOnly)
  if (readOnly.rows[0]?.transaction_read_only === 'on') {
    throw new DatabaseRefused('the database takes no writes: use the primary, not a read-only replica')
  }
  const version = await readVersion(client)
  if (!version) {
    throw new DatabaseRefused(
      'the database has no schema of surrogate-server: run surrogate-server migrate with the same --storage',
    )
  }
  refuseNewer(version.needed)
  if (version.done < schemaVersion) {
    throw new DatabaseRefused(
      `the database has schema ${version.done}, and this server needs ${schemaVersion}: run surrogate-server migrate with the same --storage`,
    )
  }
  await checkRights(client)
  await checkSearchIndex(client)
}

function refuseNewer(needed: number, known = schemaVersion): void {
  if (needed <= known) return
  throw new DatabaseRefused(
    `the database has schema ${needed}, and this server knows only ${known}: use a server as new as the one that migrated it`,
  )
}

interface Version {
  /** The last step that was done. */
  readonly done: number
  /** What servers must know. */
  readonly needed: number
}

const none: Version = { done: 0, needed: 0 }

/** Returns the version of the schema; `undefined` if there is none. */
async function readVersion(client: ClientBase): Promise<Version | undefined> {
  try {
    const { rows } = await client.query<{ done: number | null; needed: number | null }>(
      'SELECT max(abs(version)) AS done, max(version) AS needed FROM surrogate_schema',
    )
    const { done, needed } = rows[0] ?? {}
    return { done: Number(done ?? 0), needed: Number(needed ?? 0) }
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

/** Without the index every search would read all documents. */
async function checkSearchIndex(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    `SELECT indisvalid AND indisready AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [searchIndex],
  )
  if (rows[0]?.valid === true) return
  throw new DatabaseRefused(
    `the search index ${searchIndex} is missing or not valid; create it: CREATE INDEX ${searchIndex} ON documents USING gin (terms) WITH (gin_pending_list_limit = 1024)`,
  )
}
