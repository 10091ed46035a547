import type { Pool } from 'pg'
import { nextTurn } from '../../../base/flow/event-loop.ts'
import type { Principal } from '../../../base/flow/principal.ts'
import { Semaphore } from '../../../base/flow/semaphore.ts'
import { Turns } from '../../../base/flow/turns.ts'
import type { Log } from '../../../base/log.ts'
import { type Block, decodeBlock } from '../../index/bits.ts'
import { type Snapshot, search } from '../../index/search.ts'
import {
  type Digest,
  type DocumentKind,
  digestOfUuid,
  type FindOptions,
  type Found,
  type Query,
  type StoredDocument,
  StoreUnavailable,
  uuidOfDigest,
} from '../../port/port.ts'
import { longQuery, type SqlDialect, sendTogether, withClient } from './connect.ts'
import { codeOf, orUnavailable } from './faults.ts'
import {
  type Ask,
  askOf,
  documentOf,
  isWithoutBox,
  kindOf,
  numberOf,
  placeOf,
  type Row,
  uuidsOf,
} from './rows.ts'
import { reading, type Statement } from './sql.ts'

/** @param bits as Base64; nothing where a term has no block */
function blocksIn(bits: string | null | undefined): Map<number, Block> {
  const blocks = new Map<number, Block>()
  const bytes = Buffer.from(bits ?? '', 'base64')
  for (let at = 0; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    blocks.set(bytes.readUInt32BE(at), decodeBlock(bytes.subarray(at + 8, end)))
    at = end
  }
  return blocks
}

/** A collection as a transaction sees it, for a search. Statements of one step are sent without waiting for each other. */
function snapshotOf(asking: Ask, kind: DocumentKind, tenant: string): Snapshot {
  const ask = (statement: Statement, ...values: unknown[]) =>
    asking(statement, [tenant, numberOf(kind), ...values])
  const ordinalsOf = (rows: readonly Row[]) => rows.map(([ordinal]) => Number(ordinal))
  return {
    blocks: async terms => {
      const rows = await ask(reading.blocks, uuidsOf(terms))
      return new Map(rows.map(([term = '', bits]) => [digestOfUuid(term), blocksIn(bits)]))
    },
    ordinals: async ids => ordinalsOf(await ask(reading.ordinals, uuidsOf(ids))),
    modified: async (fromUs, toUs) => ordinalsOf(await ask(reading.modified, fromUs, toUs)),
    due: async nowMs => ordinalsOf(await ask(reading.dueOrdinals, nowMs)),
    firstFrom: async us => {
      if (us > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY
      const [first = Number.POSITIVE_INFINITY] = ordinalsOf(await ask(reading.firstFrom, Math.max(us, 0)))
      return first
    },
    page: async (ordinals, mostBytes) => {
      const rows = await ask(reading.page, ordinals, mostBytes)
      const cut = rows.findIndex(isWithoutBox)
      const whole = cut === -1 ? rows.length : cut
      return {
        documents: rows.slice(0, whole).map(row => documentOf(kind, tenant, row)),
        rest: rows.slice(whole).map(placeOf),
      }
    },
  }
}

/** Addresses and documents by tenant, number of the kind and id, as the database writes them. */
type Addresses = Map<string, readonly [tenant: string, kind: number, id: string]>
type Documents = ReadonlyMap<string, StoredDocument>

/** Reads by id that are going to share a statement. */
interface Batch {
  readonly wanted: Addresses
  readonly documents: Promise<Documents>
}

const mostIds = 500

/** Work that is for no tenant takes turns with each of them. */
const system: Principal = { tenant: '' }

interface ReadingDialect extends SqlDialect {
  /** All is read in one transaction, which has begun. */
  readonly isFrozen: boolean
}

/** Reads documents. Reads by id that arrive in one turn, or while the database is busy, share a statement. */
export class Reader {
  readonly #pool: Pool
  readonly #dialect: ReadingDialect
  readonly #inUse: Readonly<Record<'reads' | 'searches', Semaphore>>
  readonly #onFailure: (error: unknown) => void
  readonly #ask: Ask
  readonly #due: DueReader
  readonly #turns: Turns
  /** The batches that have not begun and may have room for more; one for each tenant if tables are distributed. */
  readonly #waiting = new Map<string, Batch>()

  /** @param most connections in use for each purpose, so that long searches do not hold up other reads */
  constructor(
    pool: Pool,
    dialect: ReadingDialect,
    most: { readonly reads: number; readonly searches: number },
    onFailure: (error: unknown) => void,
    log: Log,
    turns: Turns = new Turns(),
  ) {
    this.#turns = turns
    this.#pool = pool
    this.#dialect = dialect
    this.#inUse = { reads: new Semaphore(most.reads), searches: new Semaphore(most.searches) }
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
    const { principal = { tenant } } = options
    const pass = () => this.#turns.pass(principal)
    const searching = () =>
      withClient(this.#pool, async client => {
        const moment = snapshotOf(askOf(client, longQuery), kind, tenant)
        if (this.#dialect.isFrozen) return search(moment, query, options, pass)
        sendTogether(client)
        const beginning = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const [found] = await Promise.all([search(moment, query, options, pass), beginning])
        await client.query('COMMIT')
        return found
      })
    return this.#inUse.searches.run(principal, () => orUnavailable(this.#onFailure, searching))
  }

  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return this.#inUse.searches.run(system, () => this.#due.read(kind, beforeMs, limit))
  }

  #batch(name: string, more: number): Batch {
    const waiting = this.#waiting.get(name)
    if (waiting && waiting.wanted.size + more <= mostIds) return waiting
    const wanted: Addresses = new Map()
    // Not at once: other reads of this turn share the statement.
    const documents = nextTurn().then(() =>
      this.#inUse.reads.run({ tenant: name }, () => {
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

/** Reads what is due, of all tenants. On Citus, tenants on nodes that cannot be reached are left out until they can. */
export class DueReader {
  readonly #ask: Ask
  readonly #isCitus: boolean
  readonly #log: Log
  #isPartial = false

  constructor(ask: Ask, isCitus: boolean, log: Log) {
    this.#ask = ask
    this.#isCitus = isCitus
    this.#log = log
  }

  async read(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    const values = [numberOf(kind), Math.floor(beforeMs), limit]
    const rows = await this.#ask(reading.due, values).then(
      all => {
        this.#isPartial = false
        return all
      },
      error => this.#ofReachable(values, error),
    )
    return rows.map(([tenant = '', ...row]) => documentOf(kind, tenant, row))
  }

  /** Asks each node by itself. */
  async #ofReachable(values: unknown[], reason: unknown): Promise<readonly Row[]> {
    if (!this.#isCitus || !isOfOneNode(reason)) throw reason
    const rows = await this.#ask(reading.dueOfReachable, values)
    const [failed, nodes] = (rows[0] ?? []).map(Number)
    if (failed === nodes) throw reason
    if (!this.#isPartial) {
      this.#isPartial = true
      this.#log.error('nodes of the database do not answer: what is due on them waits', { nodes: failed })
    }
    return rows.map(([, , ...row]) => row).filter(([tenant]) => tenant !== null)
  }
}

/** True if the node that was asked could not reach another one. */
function isOfOneNode(error: unknown): boolean {
  return error instanceof StoreUnavailable && codeOf(error.cause).startsWith('08')
}
