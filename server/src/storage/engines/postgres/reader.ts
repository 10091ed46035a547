import type { Pool } from 'pg'
import { oncePerTurn } from '../../../base/turn.ts'
import type { Digest, DocumentKind, FindOptions, Found, Place, Query, StoredDocument } from '../../port.ts'
import { unhurried } from './connect.ts'
import type { Dialect } from './dialect.ts'
import { asUnavailable } from './faults.ts'
import { numberOf } from './kinds.ts'
import { Line } from './line.ts'
import { type DocumentRow, digestOf, documentOf, uuidArrayOf } from './rows.ts'
import * as sql from './sql.ts'
import { asSpelled } from './transaction.ts'
import { Condition, isAll, isFoundByTerms } from './where.ts'

type Documents = ReadonlyMap<Digest, StoredDocument>

/** Reads by id of one collection that wait to be asked together. */
interface Batch {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly ids: Set<Digest>
  readonly documents: Promise<Documents>
  readonly ask: () => void
}

const mostIds = 500

/** How many connections may be busy with what, so that searches that take long keep nobody else waiting. */
export interface ReadsAtOnce {
  readonly reads: number
  readonly searches: number
}

/** Reads. Those by id that arrive in one turn, or while the database is busy, are asked in one statement. */
export class Reader {
  readonly #pool: Pool
  readonly #dialect: Dialect
  readonly #mostAtOnce: number
  readonly #searches: Line
  readonly #onFailure: (error: unknown) => void
  /** In the order in which they are to be asked; of a collection the last may have room for more. */
  readonly #waiting: Batch[] = []
  readonly #beginLater = oncePerTurn(() => this.#begin())
  #underWay = 0

  constructor(pool: Pool, dialect: Dialect, mostAtOnce: ReadsAtOnce, onFailure: (error: unknown) => void) {
    this.#pool = pool
    this.#dialect = dialect
    this.#mostAtOnce = mostAtOnce.reads
    this.#searches = new Line(mostAtOnce.searches)
    this.#onFailure = onFailure
  }

  async get(
    kind: DocumentKind,
    tenant: string,
    ids: readonly Digest[],
  ): Promise<(StoredDocument | undefined)[]> {
    if (ids.length === 0) return []
    const batch = this.#batch(kind, tenant, ids.length)
    for (const id of ids) batch.ids.add(id)
    const documents = await batch.documents
    return ids.map(id => documents.get(id))
  }

  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    const { nowMs, offset, limit, afterUs, oldestFirst = false, mostBytes } = options
    const condition = new Condition([tenant, numberOf(kind)], this.#dialect.anyIndex)
    const now = condition.value(Math.floor(nowMs))
    const matching = sql.matching(condition.of(query), now)
    const where = sql.within(matching)
    const byTerms = this.#dialect.undivided && isFoundByTerms(query)
    const count = isAll(query) ? sql.countOfAll(now) : sql.countOf(byTerms ? sql.checked(matching) : where)
    const text =
      limit === 0
        ? count
        : sql.findPage(where, count, afterUs === undefined ? '' : behindOf(condition, afterUs, oldestFirst), {
            order: oldestFirst ? 'ASC' : 'DESC',
            limit: condition.value(limit),
            offset: condition.value(offset),
            ...(mostBytes === undefined ? {} : { mostBytes: condition.value(mostBytes) }),
          })
    const rows = await this.#searches.through(() =>
      this.#ask<readonly [string, ...DocumentRow]>({ text }, condition.values, unhurried),
    )
    const documents: StoredDocument[] = []
    const rest: Place[] = []
    for (const [, ...row] of rows) {
      const [id, , createdUs] = row
      if (id === undefined || id === null) continue
      // Only `mostBytes` leaves out a box.
      if (row[7] === null) rest.push({ id: digestOf(id), createdUs: Number(createdUs) })
      else documents.push(documentOf(kind, tenant, row))
    }
    return { total: Number(rows[0]?.[0] ?? 0), documents, ...(mostBytes === undefined ? {} : { rest }) }
  }

  async due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    const values = [numberOf(kind), Math.floor(beforeMs), limit]
    const rows = await this.#searches.through(() =>
      this.#ask<readonly [string, ...DocumentRow]>(sql.dueDocuments, values),
    )
    return rows.map(([tenant, ...row]) => documentOf(kind, tenant, row))
  }

  #batch(kind: DocumentKind, tenant: string, more: number): Batch {
    const last = this.#waiting.findLast(batch => batch.kind === kind && batch.tenant === tenant)
    if (last && last.ids.size + more <= mostIds) return last
    const ids = new Set<Digest>()
    let ask = () => {}
    const documents = new Promise<Documents>((resolve, reject) => {
      ask = () => this.#read(kind, tenant, ids).then(resolve, reject)
    })
    const batch = { kind, tenant, ids, documents, ask }
    this.#waiting.push(batch)
    this.#beginLater()
    return batch
  }

  #begin(): void {
    while (this.#underWay < this.#mostAtOnce) {
      const next = this.#waiting.shift()
      if (!next) return
      next.ask()
    }
  }

  async #read(kind: DocumentKind, tenant: string, ids: ReadonlySet<Digest>): Promise<Documents> {
    this.#underWay++
    try {
      const values = [tenant, numberOf(kind), uuidArrayOf([...ids])]
      const rows = await this.#ask<DocumentRow>(sql.getDocuments, values)
      const documents = rows.map(row => documentOf(kind, tenant, row))
      return new Map(documents.map(document => [document.id, document] as const))
    } finally {
      this.#underWay--
      this.#begin()
    }
  }

  async #ask<Row>(
    { name, text }: sql.Statement,
    values: unknown[],
    patience: Partial<typeof unhurried> = {},
  ): Promise<readonly Row[]> {
    try {
      const result = await this.#pool.query({
        ...patience,
        ...(name === undefined ? {} : { name }),
        text,
        values,
        rowMode: 'array',
        types: asSpelled,
      })
      return result.rows as unknown as readonly Row[]
    } catch (error) {
      const reason = asUnavailable(error)
      if (reason !== error) this.#onFailure(error)
      throw reason
    }
  }
}

/** Stamps are whole numbers; one to continue behind may stand between two of them. */
function behindOf(condition: Condition, afterUs: number, oldestFirst: boolean): string {
  if (oldestFirst) return ` AND created_us > ${condition.value(Math.floor(afterUs))}`
  return ` AND created_us < ${condition.value(Math.ceil(afterUs))}`
}
