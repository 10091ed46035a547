import pg from 'pg'
import { codeOf, isOutage } from './faults.ts'
import { nameOf, readLocation } from './location.ts'
import { DatabaseRefused } from './refused.ts'
import { disableTimeout, resetTimeout } from './sql.ts'

/** A pool, and its maximum number of connections. */
export interface Connected {
  readonly pool: pg.Pool
  readonly max: number
}

/** Time limit of a statement in the database, in milliseconds. */
const statementMs = 60_000

/** Additional time for its result to arrive. */
const wayMs = 5_000

/**
 * For searches, which may take as long as the database allows. All other statements give up sooner: a connection
 * that went silent must not hold up its caller, and the writes behind it, for a minute.
 */
export const longQuery = { query_timeout: statementMs + wayMs }

/**
 * Time limit of any other statement, after which its connection is closed, in milliseconds. Longer than a server that
 * is frozen in a transaction can lock a collection.
 */
const answerMs = 15_000

/** Limits that the database applies to our sessions, unless the options of the URL set them. */
const sessionLimits = {
  // A server that is frozen in a transaction would keep its collections locked.
  idle_in_transaction_session_timeout: 10_000,
  statement_timeout: statementMs,
}

/**
 * Creates a pool of connections to the database of a URL.
 * @param onIdleError called when an unused connection breaks
 * @throws {DatabaseRefused}
 */
export function openPool(
  url: string,
  onIdleError: (error: unknown) => void,
  query_timeout = answerMs,
): Connected {
  const location = readLocation(url)
  const limits = Object.entries(sessionLimits).filter(([name]) => !location.options?.includes(name))
  const pool = new pg.Pool({
    application_name: 'surrogate',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    query_timeout,
    ...Object.fromEntries(limits),
    ...location,
    pipeline: true,
  })
  // A connection that breaks in use rejects its statements. Its error event would end the process without a listener.
  pool.on('connect', client => client.on('error', () => {}))
  pool.on('error', onIdleError)
  return { pool, max: location.max }
}

/** Uses a database for the first time. Turns failures into a message for the operator. @throws {DatabaseRefused} */
export async function firstUse<Result>(
  url: string,
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  try {
    const client = await pool.connect()
    try {
      return await use(client)
    } finally {
      client.release()
    }
  } catch (error) {
    throw refusal(url, error) ?? error
  }
}

/** Runs work without time limits: migrations, VACUUM. */
export async function withoutTimeLimits<Result>(
  client: pg.PoolClient,
  work: () => Promise<Result>,
): Promise<Result> {
  // The driver reads it for each statement, but it is not in the types.
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout: number } }
  const { query_timeout } = connectionParameters
  await client.query(disableTimeout)
  connectionParameters.query_timeout = 0
  try {
    return await work()
  } finally {
    connectionParameters.query_timeout = query_timeout
    await client.query(resetTimeout).catch(() => {})
  }
}

function refusal(url: string, error: unknown): DatabaseRefused | undefined {
  if (error instanceof DatabaseRefused) return error
  const sentence = explain(nameOf(url), error)
  return sentence === undefined ? undefined : new DatabaseRefused(sentence, { cause: error })
}

function explain(name: string, error: unknown): string | undefined {
  const code = codeOf(error)
  if (code.startsWith('28')) return `the database ${name} refuses the user or the password of the storage URL`
  if (code === '3D000') return `there is no database ${name}: create it first`
  if (code === '42501')
    return `the database user lacks rights in ${name}: grant it CONNECT and USAGE of the schema`
  if (code === '53300')
    return `the database ${name} has no connection left: raise max_connections or lower pool`
  if (code === '3F000') return `the schema that the storage URL puts first in search_path does not exist`
  const { message = '' } = (error ?? {}) as { message?: string }
  if (
    /SSL|TLS|certificate|self.signed/i.test(message) ||
    code.startsWith('ERR_TLS') ||
    code.includes('CERT')
  ) {
    return `no secure connection to the database ${name}: ${plainReason(message)}; see sslmode and sslrootcert`
  }
  return isOutage(error) ? `the database ${name} cannot be reached` : undefined
}

/** The first sentence of the driver's message. */
function plainReason(message: string): string {
  return message.split(/[\n;]/)[0]?.replace(/\.$/, '') ?? ''
}
