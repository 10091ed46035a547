import { LRUCache } from 'lru-cache'
import type { Random } from '../base/random.ts'
import { keyedDigest, keyedDigestHex } from '../crypto/digest.ts'
import { BoxError, open as openBox, seal } from '../crypto/envelope.ts'
import { type Keyring, rootTenant, type TenantKeys } from '../crypto/keyring.ts'
import { BrokenRecord } from './broken-record.ts'
import type {
  CommitResult,
  Digest,
  DocumentKind,
  FindOptions,
  Query,
  Store,
  StoredDocument,
  Write,
  Written,
} from './port.ts'

/** What every record is: JSON with an id of its own. */
export interface RecordValue {
  readonly id: string
}

/** A record as read back: its value, and what the store knows of it. */
export interface SealedRecord<T extends RecordValue> {
  readonly value: T
  readonly version: number
  readonly createdUs: number
  readonly modifiedUs?: number
}

/** What of a record the store may know. */
export interface RecordIndex {
  readonly terms?: readonly Digest[]
  readonly uniques?: readonly Digest[]
  readonly dueMs?: number
}

/** A record's next value, and what else goes into the same commit. */
export interface RecordChange<T extends RecordValue> {
  readonly value: T
  readonly index?: RecordIndex
  readonly also?: readonly Write[]
}

export interface FoundRecords<T extends RecordValue> {
  readonly total: number
  readonly records: SealedRecord<T>[]
}

/** A document whose time is over. What of it cannot be opened is `undefined`. */
export interface DueRecord<T extends RecordValue> {
  readonly document: StoredDocument
  /** `undefined` where the tenant's keys are not there or do not open. */
  readonly store: TenantStore | undefined
  readonly record: SealedRecord<T> | undefined
}

/** Is told of each record that is passed over because it does not open. */
export type OnBroken = (broken: BrokenRecord) => void

/** Kinds read on every request, small and without anyone's sensitive data: their opened form may be kept. */
const keptOpen: ReadonlySet<DocumentKind> = new Set([
  'application',
  'key',
  'setting',
  'container-set',
  'session',
])

/**
 * The only place where plaintext and store meet: records become sealed documents, values become terms.
 * Each tenant's view seals under that tenant's keys, so what one tenant wrote cannot be opened by another.
 */
export class SealedStore {
  readonly store: Store
  readonly keyring: Keyring
  readonly #tenants = new Map<string, TenantStore>()
  readonly #shared: Shared

  constructor(store: Store, keyring: Keyring, random: Random, onBroken: OnBroken = () => {}) {
    this.store = store
    this.keyring = keyring
    this.#shared = { store, random, onBroken, opened: new LRUCache({ max: 10_000 }) }
  }

  /** @throws {WrongMasterKey} */
  async tenant(tenant: string): Promise<TenantStore | undefined> {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const keys = await this.keyring.open(tenant)
    return keys && this.#keep(tenant, keys)
  }

  async createTenant(tenant: string, nowUs: number): Promise<TenantStore> {
    return this.#tenants.get(tenant) ?? this.#keep(tenant, await this.keyring.create(tenant, nowUs))
  }

  /** The operator's own view: keys by digest, settings, the list of tenants. */
  root(nowUs: number): Promise<TenantStore> {
    return this.createTenant(rootTenant, nowUs)
  }

  /** What of a kind is over at `beforeMs`, of all tenants, earliest first; one that is broken hides no other. */
  async due<T extends RecordValue>(
    kind: DocumentKind,
    beforeMs: number,
    limit: number,
  ): Promise<DueRecord<T>[]> {
    const documents = await this.store.due(kind, beforeMs, limit)
    return Promise.all(
      documents.map(async document => {
        const store = await this.#tenantOf(document)
        return { document, store, record: store?.openReadable<T>(document) }
      }),
    )
  }

  /** Applies writes of several tenants in one step. */
  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.store.commit(writes, nowUs)
  }

  async clear(): Promise<void> {
    await this.store.clear()
    this.keyring.forget()
    this.#tenants.clear()
    this.#shared.opened.clear()
  }

  #keep(tenant: string, keys: TenantKeys): TenantStore {
    const kept = this.#tenants.get(tenant)
    if (kept) return kept
    const made = new TenantStore(tenant, keys, this.#shared)
    this.#tenants.set(tenant, made)
    return made
  }

  async #tenantOf({ kind, tenant, id }: StoredDocument): Promise<TenantStore | undefined> {
    try {
      const store = await this.tenant(tenant)
      if (!store) this.#shared.onBroken(new BrokenRecord(kind, tenant, id))
      return store
    } catch (error) {
      if (!(error instanceof BrokenRecord)) throw error
      this.#shared.onBroken(error)
      return undefined
    }
  }
}

/** What the views of all tenants have in common. */
interface Shared {
  readonly store: Store
  readonly random: Random
  readonly onBroken: OnBroken
  readonly opened: LRUCache<string, SealedRecord<RecordValue>>
}

/** One tenant's records. Reading is by id or by query; writing is by commits of the writes made here. */
export class TenantStore {
  readonly tenant: string
  readonly #keys: TenantKeys
  readonly #store: Store
  readonly #shared: Shared

  constructor(tenant: string, keys: TenantKeys, shared: Shared) {
    this.tenant = tenant
    this.#keys = keys
    this.#store = shared.store
    this.#shared = shared
  }

  /** The store's address of an id. */
  address(kind: DocumentKind, id: string): Digest {
    return keyedDigest(this.#keys.index, 'id', kind, id) as Digest
  }

  /** What a search for `value` in `field` compares. Bring the value to one case first. */
  term(field: string, value: string): Digest {
    return keyedDigest(this.#keys.index, 'term', field, value) as Digest
  }

  /** A one-way digest that may be shown to callers: 64 hex digits, keyed, apart from every term. */
  shownDigest(purpose: string, value: string): string {
    return keyedDigestHex(this.#keys.index, 'shown', purpose, value)
  }

  insert(kind: DocumentKind, value: RecordValue, index: RecordIndex = {}): Write {
    return { type: 'insert', ...this.#document(kind, 1, value, index) }
  }

  replace(kind: DocumentKind, version: number, value: RecordValue, index: RecordIndex = {}): Write {
    return { type: 'replace', version, ...this.#document(kind, version + 1, value, index) }
  }

  remove(kind: DocumentKind, id: string, version?: number): Write {
    const write = { type: 'remove', kind, tenant: this.tenant, id: this.address(kind, id) } as const
    return version === undefined ? write : { ...write, version }
  }

  /** The condition that a record still has this version, or is not there (0). */
  expect(kind: DocumentKind, id: string, version: number): Write {
    return { type: 'expect', kind, tenant: this.tenant, id: this.address(kind, id), version }
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.#store.commit(writes, nowUs)
  }

  async get<T extends RecordValue>(kind: DocumentKind, id: string): Promise<SealedRecord<T> | undefined> {
    const [document] = await this.#store.get(kind, this.tenant, [this.address(kind, id)])
    return document && this.open<T>(document)
  }

  async getMany<T extends RecordValue>(
    kind: DocumentKind,
    ids: readonly string[],
  ): Promise<(SealedRecord<T> | undefined)[]> {
    const addresses = ids.map(id => this.address(kind, id))
    const documents = await this.#store.get(kind, this.tenant, addresses)
    return documents.map(document => document && this.open<T>(document))
  }

  /** @throws {BrokenRecord} where one of the page does not open: for who must not decide without it. */
  async find<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const found = await this.#store.find(kind, this.tenant, query, options)
    return { total: found.total, records: found.documents.map(document => this.open<T>(document)) }
  }

  /**
   * For lists. A record that does not open is reported and left out, so that it takes no other one with it;
   * `total` counts it, so that whoever counts sees the gap.
   */
  async findReadable<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const found = await this.#store.find(kind, this.tenant, query, options)
    const opened = found.documents.map(document => this.openReadable<T>(document))
    return { total: found.total, records: opened.filter(record => record !== undefined) }
  }

  /** The record at a store address, such as the holder that a conflict names. */
  async at<T extends RecordValue>(kind: DocumentKind, address: Digest): Promise<SealedRecord<T> | undefined> {
    const [document] = await this.#store.get(kind, this.tenant, [address])
    return document && this.open<T>(document)
  }

  /**
   * Reads a record, changes it and writes it, again from the start where another writer came between.
   * Answers the new record, or `undefined` where there is none. `change` may run several times.
   */
  async update<T extends RecordValue>(
    kind: DocumentKind,
    id: string,
    nowUs: number,
    change: (current: SealedRecord<T>) => RecordChange<T> | Promise<RecordChange<T>>,
  ): Promise<SealedRecord<T> | undefined> {
    for (;;) {
      const current = await this.get<T>(kind, id)
      if (!current) return undefined
      const { value, index, also = [] } = await change(current)
      const result = await this.commit([this.replace(kind, current.version, value, index), ...also], nowUs)
      if (result.ok) return { value, ...(result.written[0] as Written) }
      if (result.conflict.write > 0)
        throw new Error(`a write beside a ${kind} failed: ${result.conflict.reason}`)
    }
  }

  #document(kind: DocumentKind, version: number, value: RecordValue, index: RecordIndex) {
    const id = this.address(kind, value.id)
    const plain = Buffer.from(JSON.stringify(value))
    const box = seal(this.#keys.data, this.#context(kind, id, version), plain, this.#shared.random)
    plain.fill(0)
    return {
      kind,
      tenant: this.tenant,
      id,
      terms: index.terms ?? [],
      uniques: index.uniques ?? [],
      box,
      ...(index.dueMs === undefined ? {} : { dueMs: index.dueMs }),
    }
  }

  /** The record inside a document of this tenant. @throws {BrokenRecord} */
  open<T extends RecordValue>(document: StoredDocument): SealedRecord<T> {
    const { kind, id, version, createdUs, modifiedUs } = document
    const { opened } = this.#shared
    // createdUs tells a record from an earlier one of the same id and version.
    const key = keptOpen.has(kind) ? `${this.tenant}${kind}${id}${version}.${createdUs}` : undefined
    const kept = key === undefined ? undefined : opened.get(key)
    if (kept) return kept as SealedRecord<T>
    const plain = this.#unseal(document)
    const value = JSON.parse(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString()) as T
    plain.fill(0)
    const record = { value, version, createdUs, ...(modifiedUs === undefined ? {} : { modifiedUs }) }
    if (key !== undefined) opened.set(key, record)
    return record
  }

  /** The same, or `undefined` for a record that does not open, which is reported. */
  openReadable<T extends RecordValue>(document: StoredDocument): SealedRecord<T> | undefined {
    try {
      return this.open<T>(document)
    } catch (error) {
      if (!(error instanceof BrokenRecord)) throw error
      this.#shared.onBroken(error)
      return undefined
    }
  }

  /** What `read` gives, or `undefined` where it meets a record that does not open, which is reported. */
  async readable<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof BrokenRecord)) throw error
      this.#shared.onBroken(error)
      return undefined
    }
  }

  #unseal({ kind, id, version, box }: StoredDocument): Uint8Array {
    try {
      return openBox(this.#keys.data, this.#context(kind, id, version), box)
    } catch (error) {
      if (error instanceof BoxError) throw new BrokenRecord(kind, this.tenant, id)
      throw error
    }
  }

  /** A box opens as this version of this record and nowhere else. */
  #context(kind: DocumentKind, id: Digest, version: number): string {
    return `${kind}|${this.tenant}|${id}|${version}`
  }
}
