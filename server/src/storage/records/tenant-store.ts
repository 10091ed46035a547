import type { LRUCache } from 'lru-cache'
import type { Places } from '../../base/flow/places.ts'
import type { Principal } from '../../base/flow/principal.ts'
import type { Turns } from '../../base/flow/turns.ts'
import type { Random } from '../../base/random.ts'
import { BrokenRecord } from '../broken-record.ts'
import type { TenantKeys } from '../keys/keyring.ts'
import { randomIds } from '../port/kinds.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type FindOptions,
  type Place,
  type Query,
  type Store,
  type StoredDocument,
  StoreEmptied,
  type Write,
} from '../port/port.ts'
import { isLong, mostOpenedAtOnce, openAll, readTogether, readWithin, stepBytes } from './large-records.ts'
import { type OpenedRecord, RecordBoxes, type RecordValue, TenantDigests } from './tenant-keys.ts'

/** The part of a record that the store may know. */
export interface RecordIndex {
  readonly terms?: readonly Digest[]
  readonly uniques?: readonly Digest[]
  readonly dueMs?: number
}

interface FoundRecords<T extends RecordValue> {
  readonly total: number
  readonly records: OpenedRecord<T>[]
}

/** A page of records. Where there are more, they come after the stamp `lastUs`. */
interface RecordPage<T extends RecordValue> {
  readonly total: number
  /** Records of a page that is long are read again and opened one at a time, so that only one is in memory. */
  readonly records: OpenedRecord<T>[] | AsyncIterable<OpenedRecord<T>>
  readonly lastUs?: number
}

/** Called for each record that is left out because it does not open. */
export type OnBroken = (broken: BrokenRecord) => void

/** Shared by the stores of all tenants. */
export interface Shared {
  readonly store: Store
  readonly random: Random
  readonly onBroken: OnBroken
  readonly opened: LRUCache<string, OpenedRecord<RecordValue>>
  /** Those of long work on the event loop. */
  readonly turns: Turns
  readonly largeReads: Places
  /** How often the store was emptied. */
  clears: number
}

/** The version that a record has to have, or the record itself, which no other one with its id can be taken for. */
type Expected = number | Pick<StoredDocument, 'version' | 'createdUs'>

function conditionOf(expected: Expected): { readonly version: number; readonly createdUs?: number } {
  if (typeof expected === 'number') return { version: expected }
  return { version: expected.version, createdUs: expected.createdUs }
}

/** The records of one tenant. They are read by id or by query, and written by committing the writes made here. */
// Requirements: AUT-011, AUT-012, AUT-013, AUT-513
export class TenantStore extends TenantDigests {
  readonly tenant: string
  /** When its keys were made. */
  readonly keysCreatedUs: number
  readonly #boxes: RecordBoxes
  readonly #shared: Shared
  readonly #clears: number
  /** Kinds with a large record, or a long page of them, seen so far. Pages are read a few records at a time, which is slower. */
  readonly #large = new Set<DocumentKind>()
  /** Kinds with a record seen so far that takes a pause to open. */
  readonly #paused = new Set<DocumentKind>()

  constructor(tenant: string, keys: TenantKeys, shared: Shared) {
    super(keys.index)
    this.tenant = tenant
    this.keysCreatedUs = keys.createdUs
    this.#boxes = new RecordBoxes(tenant, keys.data, shared.random, shared.opened)
    this.#shared = shared
    this.#clears = shared.clears
  }

  get #store(): Store {
    this.#refuseIfEmptied()
    return this.#shared.store
  }

  /** @throws {StoreEmptied} if the store was emptied since, and with it the keys of this tenant */
  #refuseIfEmptied(): void {
    if (this.#clears !== this.#shared.clears) throw new StoreEmptied('the store was emptied during a request')
  }

  /** @param fresh the id was made at random for this record, as it always is for some kinds */
  insert(
    kind: DocumentKind,
    value: RecordValue,
    index: RecordIndex = {},
    fresh: boolean = randomIds.has(kind),
  ): Write {
    return { type: 'insert', fresh, ...this.#document(kind, value, index) }
  }

  /** @param expected for an id that may be used again: the record that was read, and otherwise its version */
  replace(kind: DocumentKind, expected: Expected, value: RecordValue, index: RecordIndex = {}): Write {
    const condition = conditionOf(expected)
    return { type: 'replace', ...condition, ...this.#document(kind, value, index) }
  }

  /** @param expected as for `replace` */
  remove(kind: DocumentKind, id: string, expected?: Expected): Write {
    const condition = expected === undefined ? {} : conditionOf(expected)
    return { type: 'remove', ...condition, kind, tenant: this.tenant, id: this.address(kind, id) }
  }

  /** Returns the write that removes a record, even one that does not open; nothing where there is no such record. */
  async removal(kind: DocumentKind, id: string): Promise<Write[]> {
    const [document] = await this.#store.get(kind, this.tenant, [this.address(kind, id)])
    return document && document.version > 0 ? [this.remove(kind, id, document)] : []
  }

  /** The condition that a record still has this version, or does not exist (0). */
  expect(kind: DocumentKind, id: string, version: number): Write {
    return { type: 'expect', kind, tenant: this.tenant, id: this.address(kind, id), version }
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.#store.commit(writes, nowUs)
  }

  /** @throws {BrokenRecord} */
  get<T extends RecordValue>(kind: DocumentKind, id: string): Promise<OpenedRecord<T> | undefined> {
    return this.at<T>(kind, this.address(kind, id))
  }

  /**
   * Returns what `use` returns for a record; `undefined` if there is no such record. Waits only if the record is not in
   * memory. Then `use` begins with the record as this process last read it, so that a database is asked once for both.
   * That result is dropped if the record has changed.
   *
   * @throws {BrokenRecord}
   */
  lookUp<T extends RecordValue, Result>(
    kind: DocumentKind,
    id: string,
    use: (record: OpenedRecord<T>) => Result | Promise<Result>,
  ): Result | undefined | Promise<Result | undefined> {
    const address = this.address(kind, id)
    const document = this.#store.recent(kind, this.tenant, address)
    if (document) return use(this.open<T>(document))
    const seen = this.#boxes.seen<T>(kind, address)
    // First, as it may throw: then nobody would wait for the other promise.
    const early = seen && use(seen)
    return Promise.all([this.at<T>(kind, address), early]).then(([found, result]) =>
      found === undefined || found === seen ? found && result : use(found),
    )
  }

  /**
   * Like `get`, by the address in the store, such as the holder that a conflict names.
   * @throws {ServiceError} rate_limited, if too many of this tenant wait for large records
   */
  at<T extends RecordValue>(kind: DocumentKind, address: Digest): Promise<OpenedRecord<T> | undefined> {
    // Many requests at once would have read all of their records before the first is opened.
    if (!this.#paused.has(kind)) return this.#read(kind, address)
    return this.#shared.largeReads.run(this, () => this.#read(kind, address))
  }

  #read<T extends RecordValue>(kind: DocumentKind, address: Digest): Promise<OpenedRecord<T> | undefined> {
    return this.#store.get(kind, this.tenant, [address]).then(([document]) => {
      this.#refuseIfEmptied()
      if (!document) return undefined
      if (document.box.length <= stepBytes) return this.open<T>(document)
      this.#paused.add(kind)
      const passing = this.#shared.turns.pass(this)
      return passing ? passing.then(() => this.open<T>(document)) : this.open<T>(document)
    })
  }

  /** @throws {TooManyBytes} where the sealed records together exceed `mostBytes` */
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
    this.#refuseIfEmptied()
    if (isLong(documents)) this.#large.add(kind)
    return openAll(
      () => this.#shared.turns.pass(this),
      documents,
      document => document && this.open<T>(document),
    )
  }

  /** Finds records, for callers that must not decide without any of them. @throws {BrokenRecord} */
  async find<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const { total, documents } = await this.#find(kind, query, options)
    const records = await openAll(
      () => this.#shared.turns.pass(this),
      documents,
      document => this.open<T>(document),
    )
    return { total, records }
  }

  /** Finds records for lists: reports records that do not open and leaves them out. `total` counts them. */
  async findReadable<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const { total, documents } = await this.#find(kind, query, options)
    const opened = await openAll(
      () => this.#shared.turns.pass(this),
      documents,
      document => this.openReadable<T>(document),
    )
    return { total, records: opened.filter(record => record !== undefined) }
  }

  /** Like `findReadable`, with the stamp to continue after. */
  async findPage<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<RecordPage<T>> {
    const { limit, principal = this } = options
    const found = await this.#find(kind, query, {
      ...options,
      // One more, which is not opened, tells if there is another page.
      limit: limit + 1,
      ...(this.#large.has(kind) ? { mostBytes: mostOpenedAtOnce } : {}),
    })
    const { total, documents, rest = [] } = found
    const hasMore = documents.length + rest.length > limit
    // Opening and showing a page takes long enough that many at once would keep everybody waiting.
    if (documents.length > 1) await this.#shared.turns.pass(principal)
    const onPage = documents.slice(0, limit)
    const isLongPage = rest.length > 0 || isLong(onPage)
    if (isLongPage) this.#large.add(kind)
    // Without the boxes, which would stay in memory.
    const places = (isLongPage ? [...documents, ...rest].slice(0, limit) : []).map(({ id, createdUs }) => ({
      id,
      createdUs,
    }))
    const last = isLongPage ? places.at(-1) : onPage.at(-1)
    return {
      total,
      records: isLongPage
        ? this.#readOneByOne<T>(kind, places, principal)
        : onPage.map(one => this.openReadable<T>(one)).filter(one => one !== undefined),
      ...(last && hasMore ? { lastUs: last.createdUs } : {}),
    }
  }

  async #find(kind: DocumentKind, query: Query, options: FindOptions) {
    const found = await this.#store.find(kind, this.tenant, query, options)
    this.#refuseIfEmptied()
    return found
  }

  /** Leaves out records that were deleted in the meantime or do not open. */
  async *#readOneByOne<T extends RecordValue>(
    kind: DocumentKind,
    places: readonly Place[],
    principal: Principal,
  ): AsyncGenerator<OpenedRecord<T>> {
    for (const { id, createdUs } of places) {
      const [document] = await this.#store.get(kind, this.tenant, [id])
      // Another document may have taken the id. A damaged one does not know when it was created.
      if (!document || (document.version > 0 && document.createdUs !== createdUs)) continue
      await this.#shared.turns.pass(principal)
      const record = this.openReadable<T>(document)
      if (record) yield record
    }
  }

  #document(kind: DocumentKind, value: RecordValue, index: RecordIndex) {
    const id = this.address(kind, value.id)
    const sealing = this.#boxes.sealing(kind, id, value)
    if (sealing.bytes > stepBytes) {
      this.#large.add(kind)
      this.#paused.add(kind)
    }
    return {
      kind,
      tenant: this.tenant,
      id,
      terms: index.terms ?? [],
      uniques: index.uniques ?? [],
      ...sealing,
      ...(index.dueMs === undefined ? {} : { dueMs: index.dueMs }),
    }
  }

  /** Opens a document of this tenant. @throws {BrokenRecord} */
  open<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> {
    return this.#boxes.open<T>(document)
  }

  /** Like `open`, but reports a record that does not open and returns `undefined`. */
  openReadable<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> | undefined {
    try {
      return this.open<T>(document)
    } catch (error) {
      return this.#report(error)
    }
  }

  /** Returns the result of `read`. Reports a record that does not open and returns `undefined`. */
  async readable<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read()
    } catch (error) {
      return this.#report(error)
    }
  }

  #report(error: unknown): undefined {
    if (!(error instanceof BrokenRecord)) throw error
    this.#shared.onBroken(error)
  }
}
