import type { Pool } from 'pg'
import { nextTurn, TimeSlice } from '../../../base/flow/event-loop.ts'
import { Semaphores } from '../../../base/flow/semaphore.ts'
import type { Log } from '../../../base/log.ts'
import { search } from '../../index/search.ts'
import type { Digest, DocumentKind, FindOptions, Found, Query, StoredDocument } from '../../port/port.ts'
import { uuidOfDigest } from '../../port/port.ts'
import { longQuery, sendTogether, withClient } from './connect.ts'
import type { Dialect } from './dialect.ts'
import { DueReader } from './due-reader.ts'
import { orUnavailable } from './faults.ts'
import { kindOf, numberOf } from './kinds.ts'
import { momentOf } from './moment.ts'
import { type Ask, askOf, documentOf } from './rows.ts'
import { reading } from './sql.ts'

/** Addresses and documents by tenant, number of the kind and id, as the database writes them. */
type Addresses = Map<string, readonly [tenant: string, kind: number, id: string]>
type Documents = ReadonlyMap<string, StoredDocument>

/** Reads by id that are going to share a statement. */
interface Batch {
  readonly wanted: Addresses
  readonly documents: Promise<Documents>
}

const mostIds = 500

interface ReadingDialect extends Dialect {
  /** All is read in one transaction, which has begun. */
  readonly isFrozen: boolean
}

/** Reads documents. Reads by id that arrive in one turn, or while the database is busy, share a statement. */
export class Reader {
  readonly #pool: Pool
  readonly #dialect: ReadingDialect
  readonly #inUse: Readonly<Record<'reads' | 'searches', Semaphores>>
  readonly #onFailure: (error: unknown) => void
  readonly #ask: Ask
  readonly #due: DueReader
  readonly #slice = new TimeSlice()
  /** The batches that have not begun and may have room for more; one for each tenant if tables are distributed. */
  readonly #waiting = new Map<string, Batch>()

  /** @param most connections in use for each purpose, so that long searches do not hold up other reads */
  constructor(
    pool: Pool,
    dialect: ReadingDialect,
    most: { readonly reads: number; readonly searches: number },
    onFailure: (error: unknown) => void,
    log: Log,
  ) {
    this.#pool = pool
    this.#dialect = dialect
    const atOnce = (running: number) =>
      new Semaphores('reads', { running, waiting: Number.POSITIVE_INFINITY })
    this.#inUse = { reads: atOnce(most.reads), searches: atOnce(most.searches) }
    this.#onFailure = onFailure
    const ask = askOf(pool)
    this.#ask = (statement, values) => orUnavailable(onFailure, () => ask(statement, values))
    this.#due = new DueReader(this.#ask, dialect.isCitus, log)
  }

  async get(
    kind: DocumentKind,
    tenant: string,
    ids: readonly Digest[],
  ): Promise<(StoredDocument | undefined)[]> {
    if (ids.length === 0) return []
    const number = numberOf(kind)
    const batch = this.#batch(this.#dialect.isDistributed ? tenant : '', ids.length)
    const names = ids.map(one => {
      const id = uuidOfDigest(one)
      const name = `${tenant} ${number} ${id}`
      batch.wanted.set(name, [tenant, number, id])
      return name
    })
    const documents = await batch.documents
    return names.map(name => documents.get(name))
  }

  /** Total and page are of one state: two round trips of one transaction. */
  find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    const searching = () =>
      withClient(this.#pool, async client => {
        const moment = momentOf(askOf(client, longQuery), kind, tenant)
        if (this.#dialect.isFrozen) return search(moment, query, options, this.#slice)
        sendTogether(client)
        const beginning = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const [found] = await Promise.all([search(moment, query, options, this.#slice), beginning])
        await client.query('COMMIT')
        return found
      })
    return this.#inUse.searches.run('', () => orUnavailable(this.#onFailure, searching))
  }

  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return this.#inUse.searches.run('', () => this.#due.read(kind, beforeMs, limit))
  }

  #batch(name: string, more: number): Batch {
    const waiting = this.#waiting.get(name)
    if (waiting && waiting.wanted.size + more <= mostIds) return waiting
    const wanted: Addresses = new Map()
    // Not at once: other reads of this turn share the statement.
    const documents = nextTurn().then(() =>
      this.#inUse.reads.run('', () => {
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
    const [tenants = [], ...lists] = [0, 1, 2].map(part => addresses.map(address => address[part]))
    const rows = await (this.#dialect.isDistributed
      ? this.#ask(reading.getOfTenant, [tenants[0], ...lists])
      : this.#ask(reading.get, [tenants, ...lists]))
    return new Map(
      rows.map(([tenant = '', number, ...row]) => {
        const document = documentOf(kindOf(Number(number)), tenant, row)
        return [`${tenant} ${number} ${row[0]}`, document] as const
      }),
    )
  }
}
