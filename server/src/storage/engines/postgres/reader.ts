import type { Pool } from 'pg'
import { nextTurn } from '../../../base/flow/event-loop.ts'
import { type Log, silentLog } from '../../../base/log.ts'
import {
  type Digest,
  type DocumentKind,
  digestOfUuid,
  type FindOptions,
  type Found,
  type Place,
  type Query,
  type StoredDocument,
  uuidOfDigest,
} from '../../port/port.ts'
import type { ChosenWay } from './blocks/chosen.ts'
import { countInBlocks } from './blocks/total.ts'
import { longQuery } from './connect.ts'
import type { Dialect } from './dialect.ts'
import { DueReader } from './due-reader.ts'
import { orUnavailable } from './faults.ts'
import { kindOf, numberOf } from './kinds.ts'
import { type DocumentRow, documentOf, rowsOf } from './rows.ts'
import { Semaphore } from './semaphore.ts'
import * as sql from './sql.ts'
import { Condition, isAll, isFoundByTerms } from './where.ts'

/** Addresses and documents by tenant, number of the kind and id, as the database writes them. */
type Addresses = Map<string, readonly [tenant: string, kind: number, id: string]>
type Documents = ReadonlyMap<string, StoredDocument>

/** Reads by id that are going to share a statement. */
interface Batch {
  readonly wanted: Addresses
  readonly documents: Promise<Documents>
}

const mostIds = 500

type ReadingDialect = Pick<Dialect, 'anyIndex' | 'undivided' | 'isCitus'>

/** Reads documents. Reads by id that arrive in one turn, or while the database is busy, share a statement. */
export class Reader {
  readonly #pool: Pool
  readonly #dialect: ReadingDialect
  readonly #reads: Semaphore
  readonly #searches: Semaphore
  readonly #onFailure: (error: unknown) => void
  readonly #ways: ChosenWay | undefined
  readonly #due: DueReader
  /** The batches that have not begun and may have room for more; one for each tenant if tables are distributed. */
  readonly #waiting = new Map<string, Batch>()

  /**
   * @param most connections in use for each purpose, so that long searches do not hold up other reads
   * @param ways without it, totals are counted row by row
   */
  constructor(
    pool: Pool,
    dialect: ReadingDialect,
    most: { readonly reads: number; readonly searches: number },
    onFailure: (error: unknown) => void,
    ways?: ChosenWay,
    log: Log = silentLog,
  ) {
    this.#pool = pool
    this.#dialect = dialect
    this.#ways = ways
    this.#reads = new Semaphore(most.reads)
    this.#searches = new Semaphore(most.searches)
    this.#onFailure = onFailure
    this.#due = new DueReader(
      (statement, values) => this.#ask(statement, values),
      dialect.isCitus ?? false,
      log,
    )
  }

  async get(
    kind: DocumentKind,
    tenant: string,
    ids: readonly Digest[],
  ): Promise<(StoredDocument | undefined)[]> {
    if (ids.length === 0) return []
    const number = numberOf(kind)
    const batch = this.#batch(this.#dialect.undivided ? '' : tenant, ids.length)
    const names = ids.map(one => {
      const id = uuidOfDigest(one)
      const name = `${tenant} ${number} ${id}`
      batch.wanted.set(name, [tenant, number, id])
      return name
    })
    const documents = await batch.documents
    return names.map(name => documents.get(name))
  }

  find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    return this.#searches.run(() => this.#find(kind, tenant, query, options))
  }

  async #find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    const { nowMs, offset, limit, afterUs, oldestFirst = false, mostBytes, explain } = options
    const folded = isAll(query) ? undefined : await this.#ways?.of(kind, tenant, query)
    const condition = new Condition([tenant, numberOf(kind)], this.#dialect.anyIndex)
    const now = condition.value(Math.floor(nowMs))
    const matching = sql.matching(condition.of(query), now)
    const where = sql.within(matching)
    const byTerms = this.#dialect.undivided && isFoundByTerms(query)
    const byRows = sql.countOf(byTerms ? sql.checked(matching) : where)
    const counting = isAll(query) ? 'kept' : folded ? 'blocks' : 'rows'
    const count = folded
      ? countInBlocks({ query, now, byRows }, folded, condition)
      : isAll(query)
        ? sql.countOfAll(now)
        : byRows
    const text =
      limit === 0
        ? count
        : sql.findPage(where, count, afterUs === undefined ? '' : afterOf(condition, afterUs, oldestFirst), {
            order: oldestFirst ? 'ASC' : 'DESC',
            limit: condition.value(limit),
            offset: condition.value(offset),
            ...(mostBytes === undefined ? {} : { mostBytes: condition.value(mostBytes) }),
          })
    const rows = await this.#ask<readonly [string, ...DocumentRow]>({ text }, condition.values, longQuery)
    const documents: StoredDocument[] = []
    const rest: Place[] = []
    for (const [, ...row] of rows) {
      const [id, , createdUs] = row
      if (id === undefined || id === null) continue
      // A box is left out only because of `mostBytes`.
      if (row[7] === null) rest.push({ id: digestOfUuid(id), createdUs: Number(createdUs) })
      else documents.push(documentOf(kind, tenant, row))
    }
    const total = Number(rows[0]?.[0] ?? 0)
    const found = { total, documents, ...(mostBytes === undefined ? {} : { rest }) }
    return explain ? { ...found, counting } : found
  }

  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return this.#searches.run(() => this.#due.read(kind, beforeMs, limit))
  }

  #batch(name: string, more: number): Batch {
    const waiting = this.#waiting.get(name)
    if (waiting && waiting.wanted.size + more <= mostIds) return waiting
    const wanted: Addresses = new Map()
    // Not at once: other reads of this turn share the statement.
    const documents = nextTurn().then(() =>
      this.#reads.run(() => {
        if (this.#waiting.get(name) === batch) this.#waiting.delete(name)
        return this.#read(wanted)
      }),
    )
    const batch = { wanted, documents }
    this.#waiting.set(name, batch)
    return batch
  }

  async #read(wanted: Addresses): Promise<Documents> {
    const addresses = [...wanted.values()]
    const [tenants = '', ...rest] = [0, 1, 2].map(part => addresses.map(address => address[part]).join(','))
    const lists = rest.map(list => `{${list}}`)
    const [statement, values] = this.#dialect.undivided
      ? [sql.getDocuments, [`{${tenants}}`, ...lists]]
      : [sql.getOfTenant, [addresses[0]?.[0], ...lists]]
    const rows = await this.#ask<readonly [string, string, ...DocumentRow]>(statement, values)
    return new Map(
      rows.map(([tenant, number, ...row]) => {
        const document = documentOf(kindOf(Number(number)), tenant, row)
        return [`${tenant} ${number} ${row[0]}`, document] as const
      }),
    )
  }

  #ask<Row>(
    statement: sql.Statement,
    values: unknown[],
    limits: Partial<typeof longQuery> = {},
  ): Promise<readonly Row[]> {
    return orUnavailable(this.#onFailure, async () => {
      const { rows } = await this.#pool.query({ ...limits, ...rowsOf(statement, values) })
      return rows as unknown as readonly Row[]
    })
  }
}

/** The condition for documents after the stamp `afterUs`, which may be a fraction. */
function afterOf(condition: Condition, afterUs: number, oldestFirst: boolean): string {
  if (oldestFirst) return ` AND created_us > ${condition.value(Math.floor(afterUs))}`
  return ` AND created_us < ${condition.value(Math.ceil(afterUs))}`
}
