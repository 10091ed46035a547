import type { Writable } from 'node:stream'
import pg, { type ClientBase, type Pool, type PoolClient, type PoolConfig } from 'pg'
import { databaseName } from '../../../base/database-name.ts'
import { ClosingClient, Unbound } from './client.ts'
import { DatabaseRefused } from './database-errors.ts'
import { codeOf, isOutage } from './faults.ts'
import { readLocation } from './location.ts'
import { checkLimits, type Limits, throughPooler } from './pooler.ts'
import { disableTimeout } from './sql.ts'

/** Time limit of a statement in the database, in milliseconds. */
const statementMs = 60_000

/** Additional time for its result to arrive. */
const wayMs = 5_000

/**
 * For searches, which may take as long as the database allows. All other statements give up sooner: a connection
 * that went silent must not hold up its caller, and the writes behind it, for a minute.
 */
export const longQuery = { query_timeout: statementMs + wayMs }

/** For work that grows with the database. The driver takes 0 for its default. */
export const endless = (text: string): pg.QueryConfig => ({ text, ...{ query_timeout: 0x7fffffff } })

/**
 * Time limit of any other statement, after which its connection is closed, in milliseconds. Longer than a server that
 * is frozen in a transaction can lock a collection.
 */
const answerMs = 15_000

/** Limits that the database applies to our sessions, unless the options of the URL set them. */
const sessionLimits: Limits = {
  // A server that is frozen in a transaction would keep its collections locked.
  idle_in_transaction_session_timeout: 10_000,
  statement_timeout: statementMs,
}

/**
 * Creates a pool of connections to the database of a URL. `max` is their largest number.
 * @param onIdleError called when an unused connection breaks
 * @param isPooled true if a pooler does not pass on the limits of a session
 * @throws {DatabaseRefused}
 */
export function openPool(
  url: string,
  onIdleError: (error: unknown) => void,
  settings: pg.PoolConfig = {},
  isPooled = false,
): { readonly pool: pg.Pool; readonly max: number; readonly limits: Limits } {
  const location = readLocation(url)
  const limits = Object.fromEntries(
    Object.entries(sessionLimits).filter(([name]) => !location.options?.includes(name)),
  )
  const pool = new pg.Pool({
    Client: ClosingClient,
    application_name: 'surrogate',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    query_timeout: answerMs,
    ...(isPooled ? {} : limits),
    ...location,
    pipeline: true,
    ...settings,
  })
  // A connection that breaks in use rejects its statements. Its error event would end the process without a listener.
  pool.on('connect', client => client.on('error', () => {}))
  pool.on('error', onIdleError)
  const setLimits = Object.entries(limits).map(([name, value]) => `SET ${name} = ${value}`)
  // Before the statement for which the pool connects. If it fails, so does that one.
  if (isPooled) pool.on('connect', client => void client.query(setLimits.join('; ')).catch(() => {}))
  return { pool, max: location.max, limits }
}

/** Lends a connection to `use`. */
export async function withClient<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isDone = false
  try {
    const result = await use(client)
    isDone = true
    return result
  } finally {
    // The state of a connection after a failure is not known, so it is closed.
    client.release(!isDone)
  }
}

/** Sends the statements of this turn in one write. The driver would make a system call for each of them. */
export function sendTogether(client: pg.PoolClient): void {
  // The driver has it, but it is not in the types.
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Uses a database once, on a connection of its own, without time limits. */
export function once<Result>(url: string, use: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  return throughPooler(url, async isPooled => {
    const { pool, limits } = openPool(url, () => {}, oneConnection, isPooled)
    try {
      return await withClient(pool, async client => {
        await checkLimits(client, limits)
        await client.query(disableTimeout)
        return use(client)
      })
    } finally {
      await pool.end()
    }
  })
}

/** Turns failures of the first use of a database into a message for the operator. @throws {DatabaseRefused} */
export async function orRefused<Result>(url: string, firstUse: () => Promise<Result>): Promise<Result> {
  try {
    return await firstUse()
  } catch (error) {
    const sentence = error instanceof DatabaseRefused ? undefined : explain(databaseName(url), error)
    throw sentence === undefined ? error : new DatabaseRefused(sentence, { cause: error })
  }
}

/** Returns the end of a sentence: what to look at, for the usual reasons. */
function whyLost(code: string): string {
  if (/^(ENOTFOUND|EAI_AGAIN)/.test(code)) return `: its host is not known (${code}); is it spelled right?`
  if (code === 'ECONNREFUSED') return ': nothing listens there (ECONNREFUSED); does it run, on that port?'
  return code === '' ? '' : ` (${code})`
}

function explain(name: string, error: unknown): string | undefined {
  const code = codeOf(error)
  const { message = '' } = (error ?? {}) as { message?: string }
  if (/^SASL: .*client password must be/.test(message))
    return `the database ${name} asks for a password, and the storage URL has none: use postgres://USER:PASSWORD@…`
  if (error instanceof Unbound) return `the database ${name} is refused: ${message}; see channel_binding`
  if (code === '55000') return `the database ${name} accepts no connections at the moment (allow_connections)`
  if (code.startsWith('28')) return `the database ${name} refuses the user or the password of the storage URL`
  if (code === '3D000') return `there is no database ${name}: create it first`
  if (code === '42501')
    return `the database user lacks rights in ${name}: grant it CONNECT and USAGE of the schema`
  if (code === '53300')
    return `the database ${name} has no connection left: raise max_connections or lower pool`
  if (code === '55P03')
    return `the tables of ${name} are in use by a backup or a long transaction: try again when it has ended`
  if (code === '3F000') return `the schema that the storage URL puts first in search_path does not exist`
  if (/SSL|TLS|certificate|self.signed/i.test(message) || /^ERR_TLS|CERT/.test(code)) {
    // The first sentence of the driver's message.
    const reason = message.split(/[\n;]/)[0]?.replace(/\.$/, '') ?? ''
    return `no secure connection to the database ${name}: ${reason}; see sslmode and sslrootcert`
  }
  if (isOutage(error)) return `the database ${name} cannot be reached${whyLost(code)}`
  // Its own text may have values in it.
  return /^[\dA-Z]{5}$/.test(code) && !/^(22|23|42)/.test(code)
    ? `the database ${name} refuses to serve this program (SQLSTATE ${code})`
    : /^SASL: /.test(message)
      ? `the database ${name} cannot check the password: ${message.slice('SASL: '.length)}`
      : undefined
}

/** Settings of a pool whose only connection stays open. */
export const oneConnection: PoolConfig = { max: 1, idleTimeoutMillis: 0, query_timeout: 0 }

/**
 * Begins a transaction on the only connection of a pool, in which all that follows is read from one state. Another
 * connection, after this one broke, would read another state: it is refused.
 */
export async function freeze(pool: Pool, client: PoolClient): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  await client.query('SET LOCAL statement_timeout = 0')
  // Before it is lent to anyone.
  pool.on('connect', other => void other.end())
}

/** Differences between databases of PostgreSQL's family. Their results are the same. */
export interface SqlDialect {
  /** Tables may be distributed, so statements are routed by tenant. */
  readonly isDistributed: boolean
  /** Has the extension that distributes tables. */
  readonly isCitus: boolean
}

export async function dialectOf(client: ClientBase): Promise<SqlDialect> {
  const { rows } = await client.query<{ version: string; citus: boolean }>(
    `SELECT version() AS version, EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`,
  )
  const { version = '', citus = false } = rows[0] ?? {}
  const isItself = version.startsWith('PostgreSQL ') && !version.includes('-YB-')
  return { isDistributed: !isItself || citus, isCitus: isItself && citus }
}
