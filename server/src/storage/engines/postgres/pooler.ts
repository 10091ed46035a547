import type { ClientBase } from 'pg'
import { ClosingClient } from './client.ts'
import { DatabaseRefused } from './database-errors.ts'
import { codeOf } from './faults.ts'
import { readLocation } from './location.ts'

/**
 * Poolers such as PgBouncer stand between a server and its database. They refuse or ignore the limits that a connection
 * asks for, so that each session sets them itself; and in their mode of transactions nobody has a session at all: no
 * named statement, no limit and no lock outlasts a transaction.
 */

/** The limits of a session that a connection asks for, in milliseconds. */
export type Limits = Readonly<Record<string, number>>

/** Thrown on a connection whose limits were ignored. */
class LimitsIgnored extends Error {}

/** Checks that a session has the limits that its connection asked for. */
export async function checkLimits(client: ClientBase, limits: Limits): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])',
    [Object.keys(limits)],
  )
  if (rows.some(({ name, setting }) => Number(setting) !== limits[name])) throw new LimitsIgnored()
}

/**
 * Uses a database, and uses it again if the first attempt finds a pooler in front of it.
 * @throws {DatabaseRefused} if that pooler gives clients no sessions
 */
export async function throughPooler<Result>(
  url: string,
  use: (isPooled: boolean) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(false)
  } catch (error) {
    if (!(error instanceof LimitsIgnored) && !isUnsupported(error)) throw error
    await requireSessions(url)
    return use(true)
  }
}

/** True for a refusal of a pooler, also where a sentence for the operator was made of it. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof Error &&
  ((codeOf(error) === '08P01' && /unsupported startup parameter/.test(error.message)) ||
    isUnsupported(error.cause))

/** The client that asks. Whatever a pooler does with its connections, these turns show it if they are not sessions. */
const turns = [0, 0, 1, 0, 1, 0] as const

/** Checks that each of two clients keeps a process of the database to itself. */
async function requireSessions(url: string): Promise<void> {
  const { max: _max, Client = ClosingClient, ...location } = readLocation(url)
  const clients = [new Client(location), new Client(location)] as const
  const seen = [new Set<number>(), new Set<number>()] as const
  try {
    for (const client of clients) {
      client.on('error', () => {})
      await client.connect()
    }
    for (const turn of turns) {
      const { rows } = await clients[turn].query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      seen[turn].add(rows[0]?.pid ?? 0)
    }
  } catch (error) {
    if (!isUnsupported(error)) throw error
    throw new DatabaseRefused(
      'the pooler that the storage URL names does not pass on the parameter options: use the direct URL of the database, or set what it contains for the user, as by ALTER ROLE … SET search_path',
      { cause: error },
    )
  } finally {
    await Promise.all(clients.map(client => client.end().catch(() => {})))
  }
  if (new Set([...seen[0], ...seen[1]]).size === 2 && seen[0].size === 1) return
  throw new DatabaseRefused(
    'the pooler that the storage URL names gives each transaction another connection (pool_mode = transaction): use the direct URL of the database, or a pooler in session mode',
  )
}
