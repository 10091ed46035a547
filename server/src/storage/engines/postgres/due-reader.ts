import type { Log } from '../../../base/log.ts'
import { type DocumentKind, type StoredDocument, StoreUnavailable } from '../../port/port.ts'
import { codeOf } from './faults.ts'
import { numberOf } from './kinds.ts'
import { type Ask, documentOf, type Row } from './rows.ts'
import { reading } from './sql.ts'

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
