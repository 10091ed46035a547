import type { Pool } from 'pg'
import { type Log, silentLog } from '../../../base/log.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type FindOptions,
  type Found,
  type Lease,
  type Query,
  type Store,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import { firstUse, freeze, oneConnection, openPool, withClient, withoutTimeLimits } from './connect.ts'
import { DatabaseTime } from './database-time.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import { orUnavailable, withRetries } from './faults.ts'
import { Health } from './health.ts'
import { migrateAt, migrateOver, once } from './migrate-at.ts'
import type { Migrated } from './migrated.ts'
import { Presence, type Use } from './presence.ts'
import { Reader } from './reader.ts'
import { checkSchema, planMigration } from './schema.ts'
import * as sql from './sql.ts'
import { Writer } from './writer.ts'

interface PostgresOptions {
  /** Creates or upgrades the schema first. */
  readonly migrate?: boolean
  /** Reads all that follows in the state that the database has now. Nothing can be written. */
  readonly frozen?: boolean
  /** Keeps the database for itself, or shares it with others that do the same. Without it, nobody is asked. */
  readonly use?: Use
  /** Time limit of a statement, except searches, in milliseconds. */
  readonly answerMs?: number
  /** For failures in the background, which no caller sees. */
  readonly log?: Log
}

/** Leases belong to no tenant, but their table is distributed by tenant like all others. */
const noTenant = '00000000-0000-0000-0000-000000000000'

/** The PostgreSQL engine: one database, any number of processes. */
export class PostgresStore implements Store {
  readonly #pool: Pool
  readonly #health: Health
  readonly #time: DatabaseTime
  readonly #reader: Reader
  readonly #writer: Writer
  readonly #presence: Presence | undefined
  #compaction: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  private constructor(
    pool: Pool,
    max: number,
    health: Health,
    time: DatabaseTime,
    dialect: Dialect,
    presence: Presence | undefined,
    { frozen = false, log = silentLog }: PostgresOptions,
  ) {
    this.#pool = pool
    this.#health = health
    this.#time = time
    this.#presence = presence
    const onFailure = (error: unknown) => health.failed(error)
    // No purpose may use all connections, so that many requests of one kind do not block the others. The rest is for
    // leases, maintenance and health checks.
    const share = (part: number) => Math.max(1, Math.floor(max * part))
    const limits = { reads: share(0.2), searches: share(0.25) }
    this.#reader = new Reader(pool, { ...dialect, isFrozen: frozen }, limits, onFailure, log)
    // The largest share: tenants write concurrently, and each write waits for a disk.
    this.#writer = new Writer(pool, share(0.5), onFailure)
  }

  /** @throws {DatabaseRefused} */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    let onIdleError = (_error: unknown) => {}
    const { pool, max } = openPool(url, error => onIdleError(error), {
      ...(options.frozen ? oneConnection : {}),
      ...(options.answerMs === undefined ? {} : { query_timeout: options.answerMs }),
    })
    const health = new Health(pool)
    onIdleError = error => health.failed(error)
    let presence: Presence | undefined
    try {
      const dialect = await firstUse(url, pool, async client => {
        if (options.migrate) await migrateOver(url, client)
        await checkSchema(client)
        if (options.frozen) await freeze(pool, client)
        return dialectOf(client)
      })
      // Others of this family of databases have no such locks, or one of each node.
      if (options.use && (dialect.isCitus || !dialect.isDistributed))
        presence = await Presence.enter(url, options.use)
      const time = await DatabaseTime.start(pool)
      return new PostgresStore(pool, max, health, time, dialect, presence, options)
    } catch (error) {
      health.stop()
      await presence?.leave()
      await pool.end()
      throw error
    }
  }

  /** Creates or upgrades the schema of a database. @throws {DatabaseRefused} */
  static migrate(url: string): Promise<Migrated> {
    return migrateAt(url)
  }

  /** Returns what `migrate` would do. @throws {DatabaseRefused} */
  static planMigration(url: string): Promise<Migrated> {
    return once(url, planMigration)
  }

  /** The database's time in epoch milliseconds, which all processes share. */
  now(): number {
    return this.#time.nowMs()
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    const refusal = this.#presence?.refusal
    if (refusal !== undefined) return Promise.reject(new StoreUnavailable(refusal))
    return this.#writer.commit(writes, nowUs)
  }

  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]> {
    return this.#reader.get(kind, tenant, ids)
  }

  find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    return this.#reader.find(kind, tenant, query, options)
  }

  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return this.#reader.due(kind, beforeMs, limit)
  }

  lease({ name, holder, nowMs, untilMs }: Lease): Promise<boolean> {
    return this.#orUnavailable(async () => {
      const values = [noTenant, name, holder, Math.floor(nowMs), Math.floor(untilMs)]
      const { rowCount } = await this.#pool.query({ ...sql.takeLease, values })
      return rowCount === 1
    })
  }

  compact(): Promise<void> {
    // One at a time: two would do the same work twice.
    const compaction = this.#compaction.then(() => this.#orUnavailable(() => this.#vacuum()))
    this.#compaction = compaction.catch(() => {})
    return compaction
  }

  async clear(): Promise<void> {
    await this.#orUnavailable(() => withRetries(() => this.#pool.query(sql.removeAll)))
  }

  unhealthy(): string | undefined {
    return this.#presence?.refusal ?? this.#health.failure
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#writer.stop()
    await this.#compaction
    this.#time.stop()
    this.#health.stop()
    await this.#pool.end()
    await this.#presence?.leave()
  }

  #vacuum(): Promise<void> {
    return withClient(this.#pool, client =>
      withoutTimeLimits(client, async () => {
        for (const statement of sql.vacuum) await client.query(statement)
      }),
    )
  }

  #orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
    return orUnavailable(error => this.#health.failed(error), work)
  }
}
