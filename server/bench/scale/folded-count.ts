import { numberOf } from '../../src/storage/engines/postgres/kinds.ts'
import { uuidArrayOf, uuidOf } from '../../src/storage/engines/postgres/rows.ts'
import { Condition } from '../../src/storage/engines/postgres/where.ts'
import type { Digest, Query } from '../../src/storage/port.ts'

const zero = `repeat('0', 4096)::bit(4096)`

/**
 * The exact total of a search as one statement:
 *
 *   what the bitmaps count, terms without bitmaps taken for terms that nobody has
 *   + what matches among the tokens that are in no block yet, or changed since they were folded
 *   - what the bitmaps counted of those that were changed
 *   + what matches of the tokens that have a term without bitmaps, - what the bitmaps counted of them
 *   - what the bitmaps counted of tokens that are over
 *
 * Ranges of time are answered for whole blocks; the two at their ends are counted token by token.
 */
export class FoldedCount {
  readonly values: unknown[]
  readonly text: string
  readonly #condition: Condition
  readonly #common: ReadonlySet<Digest>
  /** Which join holds the bitmaps of which term. */
  readonly #joins = new Map<Digest, string>()

  /** @throws {Error} where the search is one that blocks cannot answer */
  constructor(tenant: string, query: Query, common: ReadonlySet<Digest>, nowMs: number) {
    this.values = [tenant, numberOf('token')]
    this.#condition = new Condition(this.values, true)
    this.#common = common
    const { ranges, rest } = split(query)
    const [fromUs, toUs] = ranges
    const bits = this.#bits(rest)
    const rare = termsOf(rest).filter(term => !common.has(term))
    const matches = this.#condition.of(rest)
    const asFolded = this.#condition.of(without(rest, common))
    const now = this.#condition.value(nowMs)
    const alive = `(due_ms IS NULL OR due_ms > ${now}::bigint)`
    const from = `${this.#condition.value(fromUs)}::bigint`
    const to = `${this.#condition.value(toUs)}::bigint`
    const own = 'tenant = $1::uuid AND kind = $2::smallint'
    const isDirty = `EXISTS (SELECT 1 FROM folding.dirty d WHERE d.tenant = $1::uuid AND d.kind = $2::smallint
                             AND d.created_us = documents.created_us)`
    const joins = [...this.#joins].map(
      ([term, name]) => `LEFT JOIN folding.terms ${name} ON ${name}.tenant = $1::uuid
         AND ${name}.kind = $2::smallint AND ${name}.block = b.block
         AND ${name}.term = ${this.#condition.value(uuidOf(term))}::uuid`,
    )
    const inWhole = `EXISTS (SELECT 1 FROM whole WHERE documents.created_us BETWEEN whole.from_us AND whole.to_us)`
    const wholeOf = (us: string) =>
      `EXISTS (SELECT 1 FROM whole WHERE ${us} BETWEEN whole.from_us AND whole.to_us)`
    // Whole blocks lie side by side: what is not in them lies before the first or behind the last.
    this.text = `
      WITH whole AS MATERIALIZED (
        SELECT min(from_us) AS from_us, max(to_us) AS to_us FROM folding.blocks
        WHERE ${own} AND from_us >= ${from} AND to_us <= ${to}
      ), folded AS (
        SELECT coalesce(sum(bit_count((${bits}) & b.places)), 0) AS n FROM folding.blocks b ${joins.join(' ')}
        WHERE b.tenant = $1::uuid AND b.kind = $2::smallint AND b.from_us >= ${from} AND b.to_us <= ${to}
      ), ends AS (
        SELECT count(*) AS n FROM documents WHERE ${own} AND ${matches} AND ${alive}
        AND created_us BETWEEN ${from} AND coalesce((SELECT from_us FROM whole), ${to} + 1) - 1
      ), tail AS (
        SELECT count(*) AS n FROM documents WHERE ${own} AND ${matches} AND ${alive}
        AND created_us > (SELECT to_us FROM whole) AND created_us <= ${to}
      ), changed AS (
        SELECT count(*) FILTER (WHERE ${matches} AND ${alive}) AS n
        FROM documents WHERE ${own} AND created_us = ANY(ARRAY(
          SELECT created_us FROM folding.dirty WHERE ${own} AND ${wholeOf('created_us')}))
      ), before AS (
        SELECT count(*) AS n FROM folding.dirty WHERE ${own} AND ${asFolded} AND ${wholeOf('created_us')}
      ), rare AS (
        ${
          rare.length === 0
            ? 'SELECT 0 AS n'
            : `SELECT count(*) FILTER (WHERE (${matches}) AND ${alive}) - count(*) FILTER (WHERE ${asFolded}) AS n
               FROM documents WHERE tenant IS NOT DISTINCT FROM $1::uuid AND kind IS NOT DISTINCT FROM $2::smallint
               AND terms && ${this.#condition.value(uuidArrayOf(rare))}::uuid[] AND ${inWhole} AND NOT ${isDirty}`
        }
      ), over AS (
        SELECT count(*) AS n FROM documents WHERE ${own} AND due_ms <= ${now}::bigint AND ${asFolded}
        ${rare.length === 0 ? '' : `AND NOT (terms && ${this.#condition.value(uuidArrayOf(rare))}::uuid[])`}
        AND ${inWhole} AND NOT ${isDirty}
      )
      SELECT folded.n + ends.n + tail.n + changed.n - before.n + rare.n - over.n AS total
      FROM folded, ends, tail, changed, before, rare, over`
  }

  #bits(query: Query): string {
    switch (query.op) {
      case 'all':
        return 'b.places'
      case 'none':
        return zero
      case 'term':
        return this.#common.has(query.term) ? `coalesce(${this.#join(query.term)}.places, ${zero})` : zero
      case 'and':
        return query.of.length === 0 ? 'b.places' : `(${query.of.map(part => this.#bits(part)).join(' & ')})`
      case 'or':
        return query.of.length === 0 ? zero : `(${query.of.map(part => this.#bits(part)).join(' | ')})`
      case 'not':
        return `(~ ${this.#bits(query.of)})`
      default:
        throw new Error(`blocks know nothing of ${query.op}`)
    }
  }

  #join(term: Digest): string {
    const name = this.#joins.get(term) ?? `t${this.#joins.size}`
    this.#joins.set(term, name)
    return name
  }
}

/** The one range of creation that all have to be in, and what else is asked. */
function split(query: Query): { ranges: readonly [fromUs: number, toUs: number]; rest: Query } {
  const parts = conjuncts(query)
  let [fromUs, toUs] = [0, Number.MAX_SAFE_INTEGER - 1]
  for (const part of parts) {
    if (part.op !== 'created') continue
    fromUs = Math.max(fromUs, Math.ceil(part.fromUs ?? 0))
    toUs = Math.min(toUs, Math.floor(part.toUs ?? toUs))
  }
  return { ranges: [fromUs, toUs], rest: { op: 'and', of: parts.filter(part => part.op !== 'created') } }
}

function conjuncts(query: Query): Query[] {
  return query.op === 'and' ? query.of.flatMap(conjuncts) : [query]
}

function termsOf(query: Query): Digest[] {
  if (query.op === 'term') return [query.term]
  if (query.op === 'not') return termsOf(query.of)
  return query.op === 'and' || query.op === 'or' ? query.of.flatMap(termsOf) : []
}

/** As the bitmaps see it: terms that have none are nobody's. */
function without(query: Query, common: ReadonlySet<Digest>): Query {
  switch (query.op) {
    case 'term':
      return common.has(query.term) ? query : { op: 'none' }
    case 'and':
    case 'or':
      return { op: query.op, of: query.of.map(part => without(part, common)) }
    case 'not':
      return { op: 'not', of: without(query.of, common) }
    default:
      return query
  }
}
