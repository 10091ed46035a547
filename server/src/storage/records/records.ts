import { LRUCache } from 'lru-cache'
import { lruOptions } from '../../base/cache.ts'
import { Places } from '../../base/flow/places.ts'
import { Turns } from '../../base/flow/turns.ts'
import { largeRecordLimits } from '../../base/limits.ts'
import type { Random } from '../../base/random.ts'
import { TenantTime } from '../../base/time/clock.ts'
import { BrokenRecord } from '../broken-record.ts'
import { type Keyring, rootTenant, type TenantKeys } from '../keys/keyring.ts'
import {
  type CommitResult,
  type DocumentKind,
  type Engine,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../port/port.ts'
import { StagedEngine } from '../staged-engine.ts'
import type { OpenedRecord, RecordValue } from './opened-record.ts'
import { TenantRecords } from './tenant-records.ts'
import type { OnBroken, Shared } from './tenant-writes.ts'

export { TooManyBytes } from './large-records.ts'
export { type Dated, OpenedRecord, type RecordValue } from './opened-record.ts'
export type { KeyPlace } from './tenant-digests.ts'
export type { TenantRecords } from './tenant-records.ts'
export type { OnBroken, RecordIndex } from './tenant-writes.ts'

/** A document that is due. */
export interface DueRecord<T extends RecordValue> {
  readonly document: StoredDocument
  /** `undefined` where the tenant's keys are missing, do not open, or cannot be read at the moment. */
  readonly store: TenantRecords | undefined
  /** Why the keys cannot be read at the moment. */
  readonly failure?: StoreUnavailable
  /** `undefined` where it does not open. */
  readonly record: OpenedRecord<T> | undefined
}

interface RecordsOptions {
  readonly onBroken?: OnBroken
  /** Those of long work on the event loop. */
  readonly turns?: Turns
  readonly tenantTime?: TenantTime
}

/**
 * The store with its keys: turns records into sealed documents and values into terms. Only this folder sees both
 * plaintext and store. Each tenant's records are sealed under its own keys, so no other tenant can open them.
 */
export class Records {
  readonly engine: Engine
  readonly #keyring: Keyring
  readonly #tenantTime: TenantTime
  readonly #tenants = new Map<string, TenantRecords>()
  readonly #shared: Shared

  constructor(
    engine: Engine,
    keyring: Keyring,
    random: Random,
    { onBroken = () => {}, turns = new Turns(), tenantTime = new TenantTime() }: RecordsOptions = {},
  ) {
    this.engine = engine
    this.#keyring = keyring
    this.#tenantTime = tenantTime
    const opened = new LRUCache<string, OpenedRecord<RecordValue>>(lruOptions(10_000))
    const largeReads = new Places('reads of large records', largeRecordLimits)
    this.#shared = { engine, random, onBroken, opened, turns, largeReads, clears: 0 }
  }

  /** Returns why the server cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined {
    return this.#keyring.failure ?? this.engine.unhealthy()
  }

  /** Returns the store of a tenant without waiting, if it was opened before. */
  opened(tenant: string): TenantRecords | undefined {
    return this.#tenants.get(tenant)
  }

  /** @throws {WrongMasterKey} */
  async tenant(tenant: string): Promise<TenantRecords | undefined> {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const keys = await this.#keyring.open(tenant)
    return keys && this.#keep(tenant, keys)
  }

  /** Forgets the keys of a tenant that another process has removed. Returns true if there were such keys. */
  async forgetRemoved(tenant: string): Promise<boolean> {
    const known = this.#tenants.get(tenant)
    if (!known || (await this.#keyring.createdUs(tenant)) === known.keysCreatedUs) return false
    return this.#tenants.delete(tenant)
  }

  async createTenant(tenant: string, nowUs: number): Promise<TenantRecords> {
    // What is sealed under keys that are gone could never be read.
    if (tenant !== rootTenant) await this.forgetRemoved(tenant)
    const known = this.#tenants.get(tenant)
    return known ?? this.#keep(tenant, await this.#keyring.create(tenant, nowUs))
  }

  /** Like `root`, without waiting, if it was opened before. */
  openedRoot(): TenantRecords | undefined {
    return this.#tenants.get(rootTenant)
  }

  /** The operator's store: keys by digest, settings, the list of tenants. */
  root(nowUs: number): Promise<TenantRecords> {
    return this.createTenant(rootTenant, nowUs)
  }

  /** Returns the records of a kind that are due at `beforeMs`, of all tenants, earliest first, broken ones too. */
  async due<T extends RecordValue>(
    kind: DocumentKind,
    beforeMs: number,
    limit: number,
  ): Promise<DueRecord<T>[]> {
    const documents = await this.#dueDocuments(kind, beforeMs, limit)
    return Promise.all(
      documents.map(async document => {
        const found = await this.#tenantOf(document)
        if (found instanceof StoreUnavailable)
          return { document, store: undefined, failure: found, record: undefined }
        return { document, store: found, record: found?.openReadable<T>(document) }
      }),
    )
  }

  /** Tenants that are ahead have documents that are due earlier than they would be for others. */
  async #dueDocuments(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    const furthestMs = this.#tenantTime.furthestMs()
    if (furthestMs === 0) return this.engine.due(kind, beforeMs, limit)
    for (let most = limit; ; most *= 4) {
      const found = await this.engine.due(kind, beforeMs + furthestMs, most)
      const due = found.filter(
        ({ tenant, dueMs = 0 }) => dueMs <= beforeMs + this.#tenantTime.offsetMs(tenant),
      )
      if (due.length >= limit || found.length < most) return due.slice(0, limit)
    }
  }

  /**
   * Returns records like these whose commits are collected, and a function that makes one commit of them. What was read
   * from them must not be used any more then.
   */
  staged(): { readonly records: Records; commit(nowUs: number): Promise<CommitResult> } {
    const staged = new StagedEngine(this.engine)
    const { random, onBroken, turns } = this.#shared
    const options = { onBroken, turns, tenantTime: this.#tenantTime }
    return {
      records: new Records(staged, this.#keyring.over(staged), random, options),
      commit: async nowUs => {
        const writes = staged.writes()
        return writes.length === 0 ? { ok: true, written: [] } : this.commit(writes, nowUs)
      },
    }
  }

  /** Commits writes of several tenants together. */
  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.engine.commit(writes, nowUs)
  }

  /** How often `forget` was called. */
  get epoch(): number {
    return this.#shared.clears
  }

  /**
   * Forgets all that is in memory, as what is stored is now another's. The stores of tenants that were opened before are not
   * available any more.
   */
  forget(): void {
    this.#shared.clears++
    this.#keyring.forget()
    this.#tenants.clear()
    this.forgetOpened()
  }

  /** Forgets opened records, as others may have the same versions now. */
  forgetOpened(): void {
    this.#shared.opened.clear()
  }

  #keep(tenant: string, keys: TenantKeys): TenantRecords {
    const kept = this.#tenants.get(tenant)
    if (kept) return kept
    const made = new TenantRecords(tenant, keys, this.#shared)
    this.#tenants.set(tenant, made)
    return made
  }

  async #tenantOf({
    kind,
    tenant,
    id,
  }: StoredDocument): Promise<TenantRecords | StoreUnavailable | undefined> {
    try {
      const store = await this.tenant(tenant)
      if (!store) this.#shared.onBroken(new BrokenRecord(kind, tenant, id))
      return store
    } catch (error) {
      // Those of other tenants may be known already, or on another node of the database.
      if (error instanceof StoreUnavailable) return error
      if (!(error instanceof BrokenRecord)) throw error
      this.#shared.onBroken(error)
      return undefined
    }
  }
}
