import type { Principal } from '../../base/flow/principal.ts'
import type { DocumentKind, FindOptions, Position, Query } from '../port/port.ts'
import { isLong, mostOpenedAtOnce, openAll } from './large-records.ts'
import type { OpenedRecord, RecordValue } from './opened-record.ts'
import { TenantReads } from './tenant-reads.ts'

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

/** The records of one tenant. They are read by id or by query, and written by committing the writes made here. */
// Requirements: AUT-011, AUT-012, AUT-013, AUT-513
export class TenantRecords extends TenantReads {
  /** Finds records, for callers that must not decide without any of them. @throws {BrokenRecord} */
  async find<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const { total, documents } = await this.#documents(kind, query, options)
    const records = await openAll(this.pass, documents, document => this.open<T>(document))
    return { total, records }
  }

  /** Finds records for lists: reports records that do not open and leaves them out. `total` counts them. */
  async findReadable<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<FoundRecords<T>> {
    const { total, documents } = await this.#documents(kind, query, options)
    const opened = await openAll(this.pass, documents, document => this.openReadable<T>(document))
    return { total, records: opened.filter(record => record !== undefined) }
  }

  /** Like `findReadable`, with the stamp to continue after. */
  async findPage<T extends RecordValue>(
    kind: DocumentKind,
    query: Query,
    options: FindOptions,
  ): Promise<RecordPage<T>> {
    const { limit, principal = this } = options
    const found = await this.#documents(kind, query, {
      ...options,
      // One more, which is not opened, tells if there is another page.
      limit: limit + 1,
      ...(this.sizes.large.has(kind) ? { mostBytes: mostOpenedAtOnce } : {}),
    })
    const { total, documents, rest = [] } = found
    const hasMore = documents.length + rest.length > limit
    // Opening and showing a page takes long enough that many at once would keep everybody waiting.
    if (documents.length > 1) await this.shared.turns.pass(principal)
    const onPage = documents.slice(0, limit)
    const isLongPage = rest.length > 0 || isLong(onPage)
    if (isLongPage) this.sizes.large.add(kind)
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

  async #documents(kind: DocumentKind, query: Query, options: FindOptions) {
    const found = await this.engine.find(kind, this.tenant, query, options)
    this.refuseIfEmptied()
    return found
  }

  /** Leaves out records that were deleted in the meantime or do not open. */
  async *#readOneByOne<T extends RecordValue>(
    kind: DocumentKind,
    places: readonly Position[],
    principal: Principal,
  ): AsyncGenerator<OpenedRecord<T>> {
    for (const { id, createdUs } of places) {
      const [document] = await this.engine.get(kind, this.tenant, [id])
      // Another document may have taken the id. A damaged one does not know when it was created.
      if (!document || (document.version > 0 && document.createdUs !== createdUs)) continue
      await this.shared.turns.pass(principal)
      const record = this.openReadable<T>(document)
      if (record) yield record
    }
  }
}
