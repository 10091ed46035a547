import type { ClientBase, Pool } from 'pg'
import { databaseName } from '../../../base/database-name.ts'
import { clearTimeout, setTimeout } from '../../../base/time/real-time.ts'
import { oneConnection, openPool, orRefused, withClient } from './connect.ts'
import { DatabaseRefused } from './database-errors.ts'

/** Servers share a database. Some commands need it alone. */
export type Use = 'shared' | 'alone'

/** The first half of the lock's number is "Surr", the second is of the schema, as a database may have several. */
const family = 0x53_75_72_72
const key = `${family}, 'surrogate_schema'::regclass::oid::integer`

const statements = {
  take: {
    shared: `SELECT pg_try_advisory_lock_shared(${key}) AS taken`,
    alone: `SELECT pg_try_advisory_xact_lock(${key}) AS taken`,
  },
  release: { shared: 'SELECT pg_advisory_unlock_all()', alone: 'ROLLBACK' },
} as const

const refusals = {
  shared: (name: string) =>
    `a command that needs the database ${name} alone is running: try again when it has ended`,
  alone: (name: string) =>
    `the database ${name} is in use: stop all servers on it, and wait until other commands have ended`,
}

const retryEveryMs = 500

/** A close must not hang because the database does not answer. */
const releaseMs = 1_000

/**
 * An advisory lock, on a connection of its own: shared by servers, and exclusive for a command that no server may run
 * beside. A server whose connection breaks takes it again. A command holds it in a transaction, which ends with the
 * connection, and then cannot go on.
 */
export class Presence {
  readonly #pool: Pool
  readonly #use: Use
  #timer: NodeJS.Timeout | undefined
  #isHeld = false
  #hasLeft = false
  /** Why nothing may be written. */
  refusal: string | undefined

  private constructor(pool: Pool, use: Use) {
    this.#pool = pool
    this.#use = use
  }

  /** @throws {DatabaseRefused} */
  static async enter(url: string, use: Use, isPooled = false): Promise<Presence> {
    let onLost = () => {}
    const { pool } = openPool(url, () => onLost(), oneConnection, isPooled)
    const presence = new Presence(pool, use)
    try {
      const isTaken = await orRefused(url, () => withClient(pool, client => presence.#take(client)))
      if (!isTaken) throw new DatabaseRefused(refusals[use](databaseName(url)))
    } catch (error) {
      await presence.leave()
      throw error
    }
    onLost = () => presence.#lost()
    return presence
  }

  async leave(): Promise<void> {
    this.#hasLeft = true
    clearTimeout(this.#timer)
    // The end of a pool does not wait for the database to notice it, and a command may follow at once.
    const release = { text: statements.release[this.#use], query_timeout: releaseMs }
    if (this.#isHeld) await this.#pool.query(release).catch(() => {})
    await this.#pool.end()
  }

  async #take(client: ClientBase): Promise<boolean> {
    if (this.#use === 'alone') {
      await client.query('BEGIN')
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    }
    const { rows } = await client.query<{ taken: boolean }>(statements.take[this.#use])
    this.#isHeld = rows[0]?.taken === true
    return this.#isHeld
  }

  #lost(): void {
    this.#isHeld = false
    if (this.#hasLeft) return
    if (this.#use === 'alone') this.refusal = 'the connection that kept servers away was lost: run this again'
    else this.#retryLater(0)
  }

  #retryLater(afterMs = retryEveryMs): void {
    this.#timer = setTimeout(() => void this.#retry(), afterMs).unref()
  }

  async #retry(): Promise<void> {
    const taken = await withClient(this.#pool, client => this.#take(client)).catch(() => undefined)
    if (this.#hasLeft) return
    if (taken !== undefined)
      this.refusal = taken ? undefined : 'a command that needs the database alone is running'
    if (taken !== true) this.#retryLater()
  }
}
