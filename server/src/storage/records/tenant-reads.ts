import { BrokenRecord } from '../broken-record.ts'
import type { TenantKeys } from '../keys/keyring.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type Engine,
  type StoredDocument,
  StoreEmptied,
  type Write,
} from '../port/port.ts'
import { isLong, openAll, readTogether, readWithin, stepBytes } from './large-records.ts'
import type { OpenedRecord, RecordValue } from './opened-record.ts'
import { type Shared, TenantWrites } from './tenant-writes.ts'

/** Reads the records of one tenant by their ids, and commits its writes. */
export class TenantReads extends TenantWrites {
  readonly #clears: number
  /** Passes the turn to other work. */
  protected readonly pass = () => this.shared.turns.pass(this)

  constructor(tenant: string, keys: TenantKeys, shared: Shared) {
    super(tenant, keys, shared)
    this.#clears = shared.clears
  }

  protected get engine(): Engine {
    this.refuseIfEmptied()
    return this.shared.engine
  }

  /** @throws {StoreEmptied} if the store was emptied since, and with it the keys of this tenant */
  protected refuseIfEmptied(): void {
    if (this.#clears !== this.shared.clears) throw new StoreEmptied('the store was emptied during a request')
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.engine.commit(writes, nowUs)
  }

  /** Returns the write that removes a record, even one that does not open; nothing where there is no such record. */
  async removal(kind: DocumentKind, id: string): Promise<Write[]> {
    const [document] = await this.engine.get(kind, this.tenant, [this.address(kind, id)])
    return document && document.version > 0 ? [this.remove(kind, id, document)] : []
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
    const document = this.engine.inMemory(kind, this.tenant, address)
    if (document) return use(this.open<T>(document))
    const seen = this.boxes.seen<T>(kind, address)
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
    if (!this.sizes.paused.has(kind)) return this.#read(kind, address)
    return this.shared.largeReads.run(this, () => this.#read(kind, address))
  }

  #read<T extends RecordValue>(kind: DocumentKind, address: Digest): Promise<OpenedRecord<T> | undefined> {
    return this.engine.get(kind, this.tenant, [address]).then(([document]) => {
      this.refuseIfEmptied()
      if (!document) return undefined
      if (document.box.length <= stepBytes) return this.open<T>(document)
      this.sizes.paused.add(kind)
      const passing = this.shared.turns.pass(this)
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
    const together = this.sizes.large.has(kind) ? readTogether : addresses.length
    const documents = await readWithin(mostBytes, addresses, together, some =>
      this.engine.get(kind, this.tenant, some),
    )
    this.refuseIfEmptied()
    if (isLong(documents)) this.sizes.large.add(kind)
    return openAll(this.pass, documents, document => document && this.open<T>(document))
  }

  /** Opens a document of this tenant. @throws {BrokenRecord} */
  open<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> {
    return this.boxes.open<T>(document)
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
    this.shared.onBroken(error)
  }
}
