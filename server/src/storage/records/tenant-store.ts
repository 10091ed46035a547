import { LRUCache } from 'lru-cache'
import type { Random } from '../../base/random.ts'
import type { Steps } from '../../base/turn.ts'
import { BoxError } from '../../crypto/envelope.ts'
import { KeyedDigest } from '../../crypto/keyed-digest.ts'
import { Sealer } from '../../crypto/sealer.ts'
import type { TenantKeys } from '../keys/keyring.ts'
import type {
  CommitResult,
  Digest,
  DocumentKind,
  FindOptions,
  Place,
  Query,
  Store,
  StoredDocument,
  Write,
  Written,
} from '../port.ts'
import { BrokenRecord } from './broken-record.ts'
import {
  isLong,
  mostOpenedAtOnce,
  openInSteps,
  placesOf,
  readTogether,
  readWithin,
  stepBytes,
} from './large-records.ts'
import { OpenedRecord, type RecordValue } from './opened-record.ts'

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
  readonly records: OpenedRecord<T>[]
}

/** A page of records; `lastUs` is the stamp to continue behind, where there is more. */
export interface RecordPage<T extends RecordValue> {
  readonly total: number
  /** Of a long page each is read again and opened when it is asked for, so that only one is in memory. */
  readonly records: OpenedRecord<T>[] | AsyncIterable<OpenedRecord<T>>
  readonly lastUs?: number
}

/** Is told of each record that is passed over because it does not open. */
export type OnBroken = (broken: BrokenRecord) => void

/** Kinds read on every request, small and without anyone's sensitive data: their opened form may be kept. */
const keptOpen: ReadonlySet<DocumentKind> = new Set(['application', 'key', 'setting', 'session'])

/** Kinds whose ids are UUIDs that were drawn for them, each for one insert. */
const randomIds: ReadonlySet<DocumentKind> = new Set(['audit', 'token-cvc'])

/** Fields of few and insensitive values: their terms may be remembered. */
const commonFields: ReadonlySet<string> = new Set([
  'type',
  'container',
  'under',
  'containers',
  'container-numbered',
  'under-numbered',
  'created_by',
  'modified_by',
  'entity_type',
])

/**
 * How many digests of one kind or field are remembered: as many as the lists of two callers ask for who have 100
 * rules each, on ten numbered containers.
 */
const mostDigests = 2000

/** What the views of all tenants have in common. */
export interface Shared {
  readonly store: Store
  readonly random: Random
  readonly onBroken: OnBroken
  readonly opened: LRUCache<string, OpenedRecord<RecordValue>>
  /** For what takes long. */
  readonly steps: Steps
}

/** One tenant's records. Reading is by id or by query; writing is by commits of the writes made here. */
// Requirements: AUT-011, AUT-012
export class TenantStore {
  readonly tenant: string
  readonly #sealer: Sealer
  readonly #index: KeyedDigest
  readonly #apiKeys = new LRUCache<string, string>({ max: 1000 })
  readonly #digests = {
    id: new Map<string, Map<string, Digest>>(),
    term: new Map<string, Map<string, Digest>>(),
  }
  readonly #store: Store
  readonly #shared: Shared
  /** Kinds of which a large record was seen: from then on they are read a few at a time, which takes longer. */
  readonly #large = new Set<DocumentKind>()

  constructor(tenant: string, keys: TenantKeys, shared: Shared) {
    this.tenant = tenant
    this.#sealer = new Sealer(keys.data, shared.random)
    this.#index = new KeyedDigest(keys.index)
    this.#store = shared.store
    this.#shared = shared
  }

  /** The store's address of an id. */
  address(kind: DocumentKind, id: string): Digest {
    // A random id of our own making tells nothing: its bytes serve as they are.
    if (randomIds.has(kind)) return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url') as Digest
    return this.#digest(keptOpen.has(kind), 'id', kind, id)
  }

  /** What a search for `value` in `field` compares. Bring the value to one case first. */
  term(field: string, value: string): Digest {
    return this.#digest(commonFields.has(field), 'term', field, value)
  }

  /** Most requests of a tenant ask for the same few digests. By use and name, each with its own few values. */
  #digest(isCommon: boolean, use: 'id' | 'term', name: string, value: string): Digest {
    if (!isCommon) return this.#index.short(use, name, value) as Digest
    const { [use]: byName } = this.#digests
    const byValue = byName.get(name) ?? new Map<string, Digest>()
    const known = byValue.get(value)
    if (known) return known
    const made = this.#index.short(use, name, value) as Digest
    byName.set(name, byValue)
    // They can be worked out again: emptied before they grow without bound.
    if (byValue.size >= mostDigests) byValue.clear()
    byValue.set(value, made)
    return made
  }

  /** What an API key is known by. The few that are in use are remembered, for as long as they are. */
  apiKeyDigest(key: string): string {
    const known = this.#apiKeys.get(key)
    if (known !== undefined) return known
    const digest = this.shownDigest('api-key', key)
    this.#apiKeys.set(key, digest)
    return digest
  }

  /** A one-way digest that may be shown to callers: 64 hex digits, keyed, apart from every term. */
  shownDigest(purpose: string, value: string): string {
    return this.#index.hex('shown', purpose, value)
  }

  /** `fresh`: the id was drawn at random for this record, as those of some kinds always are. */
  insert(
    kind: DocumentKind,
    value: RecordValue,
    index: RecordIndex = {},
    fresh: boolean = randomIds.has(kind),
  ): Write {
    return { type: 'insert', fresh, ...this.#document(kind, 1, value, index) }
  }

  replace(kind: DocumentKind, version: number, value: RecordValue, index: RecordIndex = {}): Write {
    return { type: 'replace', version, ...this.#document(kind, version + 1, value, index) }
  }

  remove(kind: DocumentKind, id: string, version?: number): Write {
    const write = { type: 'remove', kind, tenant: this.tenant, id: this.address(kind, id) } as const
    return version === undefined ? write : { ...write, version }
  }

  /** The write that removes a record, if there is one that can be removed; it need not open for that. */
  async removal(kind: DocumentKind, id: string): Promise<Write[]> {
    const [document] = await this.#store.get(kind, this.tenant, [this.address(kind, id)])
    return document && document.version > 0 ? [this.remove(kind, id, document.version)] : []
  }

  /** The condition that a record still has this version, or is not there (0). */
  expect(kind: DocumentKind, id: string, version: number): Write {
    return { type: 'expect', kind, tenant: this.tenant, id: this.address(kind, id), version }
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.#store.commit(writes, nowUs)
  }

  async get<T extends RecordValue>(kind: DocumentKind, id: string): Promise<OpenedRecord<T> | undefined> {
    const [document] = await this.#store.get(kind, this.tenant, [this.address(kind, id)])
    return document && this.open<T>(document)
  }

  /** @throws {TooManyBytes} where the records together are longer than `mostBytes`, sealed */
  async getMany<T extends RecordValue>(
    kind: DocumentKind,
    ids: readonly string[],
    mostBytes = Number.POSITIVE_INFINITY,
  ): Promise<(OpenedRecord<T> | undefined)[]> {
    const addresses = ids.map(id => this.address(kind, id))
    const together = this.#large.has(kind) ? readTogether : addresses.length
    const documents = await readWithin(mostBytes, addresses, together, some =>
      this.#store.get(kind, this.tenant, some),
    )
    if (isLong(documents)) this.#large.add(kind)
    const open = (document: StoredDocument | undefined) => document && this.open<T>(document)
    return isLong(documents) ? openInSteps(this.#shared.steps, documents, open) : documents.map(open)
  }

  /** @throws {BrokenRecord} where one of the page does not open: for who must not decide without it. */
  async find<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const { total, documents } = await this.#store.find(kind, this.tenant, query, options)
    const open = (document: StoredDocument) => this.open<T>(document)
    return {
      total,
      records: isLong(documents)
        ? await openInSteps(this.#shared.steps, documents, open)
        : documents.map(open),
    }
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
    const { total, documents } = await this.#store.find(kind, this.tenant, query, options)
    const open = (document: StoredDocument) => this.openReadable<T>(document)
    const opened = isLong(documents)
      ? await openInSteps(this.#shared.steps, documents, open)
      : documents.map(open)
    return { total, records: opened.filter(record => record !== undefined) }
  }

  /** As `findReadable`, with where to go on. Asks for one document more, which it does not open. */
  async findPage<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<RecordPage<T>> {
    const { limit } = options
    const found = await this.#store.find(kind, this.tenant, query, {
      ...options,
      limit: limit + 1,
      ...(this.#large.has(kind) ? { mostBytes: mostOpenedAtOnce } : {}),
    })
    const { total, documents, rest = [] } = found
    const hasMore = documents.length + rest.length > limit
    const onPage = documents.slice(0, limit)
    const isLongPage = rest.length > 0 || isLong(onPage)
    if (isLongPage) this.#large.add(kind)
    const places = isLongPage ? placesOf([...documents, ...rest].slice(0, limit)) : []
    const last = isLongPage ? places.at(-1) : onPage.at(-1)
    return {
      total,
      records: isLongPage ? this.#readAgain<T>(kind, places) : this.#openReadables<T>(onPage),
      ...(last && hasMore ? { lastUs: last.createdUs } : {}),
    }
  }

  #openReadables<T extends RecordValue>(documents: readonly StoredDocument[]): OpenedRecord<T>[] {
    const opened = documents.map(document => this.openReadable<T>(document))
    return opened.filter(record => record !== undefined)
  }

  /** One record after the other as it is by then. What was deleted meanwhile, or does not open, is left out. */
  async *#readAgain<T extends RecordValue>(
    kind: DocumentKind,
    places: readonly Place[],
  ): AsyncGenerator<OpenedRecord<T>> {
    for (const { id, createdUs } of places) {
      const [document] = await this.#store.get(kind, this.tenant, [id])
      // Another document may have taken the id.
      if (document?.createdUs !== createdUs) continue
      await this.#shared.steps.next()
      const record = this.openReadable<T>(document)
      if (record) yield record
    }
  }

  /** The record at a store address, such as the holder that a conflict names. */
  async at<T extends RecordValue>(kind: DocumentKind, address: Digest): Promise<OpenedRecord<T> | undefined> {
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
    change: (current: OpenedRecord<T>) => RecordChange<T> | Promise<RecordChange<T>>,
  ): Promise<OpenedRecord<T> | undefined> {
    for (;;) {
      const current = await this.get<T>(kind, id)
      if (!current) return undefined
      const { value, index, also = [] } = await change(current)
      const result = await this.commit([this.replace(kind, current.version, value, index), ...also], nowUs)
      if (result.ok) return new OpenedRecord(value, result.written[0] as Written)
      if (result.conflict.write > 0)
        throw new Error(`a write beside a ${kind} failed: ${result.conflict.reason}`)
    }
  }

  #document(kind: DocumentKind, version: number, value: RecordValue, index: RecordIndex) {
    const id = this.address(kind, value.id)
    const plain = Buffer.from(JSON.stringify(value))
    const box = this.#sealer.seal(this.#context(kind, id, version), plain)
    plain.fill(0)
    if (box.length > stepBytes) this.#large.add(kind)
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
  open<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> {
    const { kind, id, version, createdUs } = document
    const { opened } = this.#shared
    // createdUs tells a record from an earlier one of the same id and version.
    const key = keptOpen.has(kind) ? `${this.tenant}${kind}${id}${version}.${createdUs}` : undefined
    const kept = key === undefined ? undefined : opened.get(key)
    if (kept) return kept as OpenedRecord<T>
    const plain = this.#unseal(document)
    const value = JSON.parse(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString()) as T
    plain.fill(0)
    const record = new OpenedRecord(value, document)
    if (key !== undefined) opened.set(key, record)
    return record
  }

  /** The same, or `undefined` for a record that does not open, which is reported. */
  openReadable<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> | undefined {
    try {
      return this.open<T>(document)
    } catch (error) {
      return this.#passOver(error)
    }
  }

  /** What `read` gives, or `undefined` where it meets a record that does not open, which is reported. */
  async readable<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read()
    } catch (error) {
      return this.#passOver(error)
    }
  }

  #passOver(error: unknown): undefined {
    if (!(error instanceof BrokenRecord)) throw error
    this.#shared.onBroken(error)
  }

  #unseal({ kind, id, version, box }: StoredDocument): Uint8Array {
    try {
      return this.#sealer.open(this.#context(kind, id, version), box)
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
