import type { Pool, PoolClient } from 'pg'
import { Turns } from '../../../base/flow/turns.ts'
import { type Log, silentLog } from '../../../base/log.ts'
import { Heads } from '../../index/edits.ts'
import { CommitQueue } from '../../port/commit-queue.ts'
import type { Commit } from '../../port/decide.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type FindOptions,
  type Found,
  type Lease,
  type OpenEngine,
  type Query,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import {
  dialectOf,
  endless,
  freeze,
  oneConnection,
  openPool,
  orRefused,
  type SqlDialect,
  withClient,
} from './connect.ts'
import { orUnavailable, withRetries } from './faults.ts'
import { checkLimits, throughPooler } from './pooler.ts'
import { Presence, type Use } from './presence.ts'
import { Pulse } from './pulse.ts'
import { Reader } from './reader.ts'
import { checkSchema, migrate } from './schema.ts'
import * as sql from './sql.ts'
import { commitGroup } from './transaction.ts'

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
  /** Those that searches take with other work on the event loop. */
  readonly turns?: Turns | undefined
}

/** Leases belong to no tenant, but their table is distributed by tenant like all others. */
const noTenant = '00000000-0000-0000-0000-000000000000'

/** The PostgreSQL engine: one database, any number of processes. */
export class PostgresEngine implements OpenEngine {
  readonly #pool: Pool
  readonly #pulse: Pulse
  readonly #reader: Reader
  readonly #queue: CommitQueue
  readonly #presence: Presence | undefined
  #compaction: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  private constructor(
    pool: Pool,
    max: number,
    pulse: Pulse,
    dialect: SqlDialect,
    presence: Presence | undefined,
    { frozen = false, log = silentLog, turns = new Turns() }: PostgresOptions,
  ) {
    this.#pool = pool
    this.#pulse = pulse
    this.#presence = presence
    const onFailure = (error: unknown) => pulse.failed(error)
    // No purpose may use all connections, so that many requests of one kind do not block the others. The rest is for
    // leases, maintenance and health checks.
    const share = (part: number) => Math.max(1, Math.floor(max * part))
    const limits = { reads: share(0.2), searches: share(0.25) }
    this.#reader = new Reader(pool, { ...dialect, isFrozen: frozen }, limits, onFailure, log, turns)
    // The largest share: tenants write concurrently, and each write waits for a disk.
    const heads = new Heads()
    const transact = (group: readonly Commit[]) =>
      withRetries(() => withClient(pool, client => commitGroup(client, group, heads, dialect.isCitus)))
    this.#queue = new CommitQueue({
      write: group => orUnavailable(onFailure, () => transact(group)),
      mostAtOnce: share(0.5),
      // Transactions of one tenant would only wait for each other's locks.
      lanesOf: writes => [...new Set(writes.map(({ tenant }) => tenant))],
    })
  }

  /** @throws {DatabaseRefused} */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresEngine> {
    if (options.migrate) await migrate(url)
    return throughPooler(url, isPooled => PostgresEngine.#open(url, options, isPooled))
  }

  static async #open(url: string, options: PostgresOptions, isPooled: boolean): Promise<PostgresEngine> {
    const settings = {
      ...(options.frozen ? oneConnection : {}),
      ...(options.answerMs === undefined ? {} : { query_timeout: options.answerMs }),
    }
    const { pool, max, limits } = openPool(url, error => pulse.failed(error), settings, isPooled)
    const pulse = new Pulse(pool)
    let presence: Presence | undefined
    try {
      const check = async (client: PoolClient) => {
        await checkLimits(client, limits)
        await checkSchema(client)
        if (options.frozen) await freeze(pool, client)
        return dialectOf(client)
      }
      const dialect = await orRefused(url, () => withClient(pool, check))
      // Others of this family of databases have no such locks, or one of each node.
      if (options.use && (dialect.isCitus || !dialect.isDistributed))
        presence = await Presence.enter(url, options.use, isPooled)
      await pulse.start()
      return new PostgresEngine(pool, max, pulse, dialect, presence, options)
    } catch (error) {
      pulse.stop()
      await presence?.leave()
      await pool.end()
      throw error
    }
  }

  /** The database's time in epoch milliseconds, which all processes share. */
  now(): number {
    return this.#pulse.nowMs()
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    const refusal = this.#presence?.refusal
    if (refusal !== undefined) return Promise.reject(new StoreUnavailable(refusal))
    return this.#queue.commit(writes, nowUs)
  }

  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]> {
    return this.#reader.get(kind, tenant, ids)
  }

  inMemory(): undefined {}

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

  snapshot(): undefined {}

  async clear(): Promise<void> {
    await this.#orUnavailable(() => withRetries(() => this.#pool.query(sql.removeAll)))
  }

  unhealthy(): string | undefined {
    return this.#presence?.refusal ?? this.#pulse.failure
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#queue.stop()
    await this.#compaction
    this.#pulse.stop()
    await this.#pool.end()
    await this.#presence?.leave()
  }

  async #vacuum(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query(sql.disableTimeout)
      for (const text of sql.vacuum) await client.query(endless(text))
    } finally {
      // A connection without a time limit is not lent again.
      client.release(true)
    }
  }

  #orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
    return orUnavailable(error => this.#pulse.failed(error), work)
  }
}
