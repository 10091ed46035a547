import { type Digest, type Query, uuidOfDigest } from '../../port/port.ts'
import { uuidArrayOf } from './rows.ts'

const mostUs = Number.MAX_SAFE_INTEGER

/**
 * Writes a query as an SQL condition with parameters. The terms that every match must have become one containment,
 * which uses the search index; the other parts filter its result.
 *
 * If the database cannot combine several conditions on that index (`anyIndex`), the other parts are written so that
 * it is not used for them.
 */
export class Condition {
  readonly values: unknown[]
  readonly #anyIndex: boolean
  readonly #isCheck: boolean

  constructor(values: unknown[], anyIndex: boolean, isCheck = false) {
    this.values = values
    this.#anyIndex = anyIndex
    this.#isCheck = isCheck
  }

  of(query: Query): string {
    const { terms, others } = termsAmong(conjuncts(query))
    const driver = terms.length === 0 ? [] : [`terms @> ${this.digests(terms)}`]
    return [...driver, ...others.map(part => this.#part(part))].join(' AND ') || 'TRUE'
  }

  /** Like `of`, but without the search index: for few documents that something else leads to. */
  checking(query: Query): string {
    return new Condition(this.values, false, true).#part(query)
  }

  #part(query: Query): string {
    switch (query.op) {
      case 'all':
        return 'TRUE'
      case 'none':
        return 'FALSE'
      case 'term':
        return this.#anyIndex
          ? `terms @> ${this.digests([query.term])}`
          : `${this.value(uuidOfDigest(query.term))}::uuid = ANY(terms)`
      case 'ids':
        return `id = ANY(${this.digests(query.ids)})`
      case 'created':
        return this.#within('created_us', query.fromUs, query.toUs)
      case 'modified':
        // FALSE instead of NULL for documents that were never modified, so that NOT includes them.
        return `(modified_us IS NOT NULL AND ${this.#within('modified_us', query.fromUs, query.toUs)})`
      case 'and':
        return this.#and(conjuncts(query))
      case 'or':
        return this.#or(query.of)
      case 'not':
        return `NOT (${this.#part(query.of)})`
    }
  }

  #and(parts: readonly Query[]): string {
    const { terms, others } = termsAmong(parts)
    if (!this.#isCheck || terms.length < 2) return joined(parts, 'AND', 'TRUE', part => this.#part(part))
    return joined(others, 'AND', 'TRUE', part => this.#part(part), [this.#several('@>', terms)])
  }

  #or(of: readonly Query[]): string {
    const parts = alternatives(of)
    const { terms, others } = termsAmong(parts)
    if (!(this.#anyIndex || this.#isCheck) || terms.length < 2)
      return joined(parts, 'OR', 'FALSE', part => this.#part(part))
    return joined(others, 'OR', 'FALSE', part => this.#part(part), [this.#several('&&', terms)])
  }

  /** One condition on several terms, which takes a fraction of the time to plan that one for each does. */
  #several(operator: '&&' | '@>', terms: readonly Digest[]): string {
    const condition = `terms ${operator} ${this.digests(terms)}`
    // No index serves a condition in this form.
    return this.#isCheck ? `((${condition}) IS TRUE)` : condition
  }

  #within(column: string, fromUs?: number, toUs?: number): string {
    const [from, to] = wholeRange(fromUs, toUs)
    if (!(from <= to)) return 'FALSE'
    return `(${column} >= ${this.value(from)} AND ${column} <= ${this.value(to)})`
  }

  /** Adds a parameter and returns its placeholder. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  digests(digests: readonly Digest[]): string {
    return `${this.value(uuidArrayOf(digests))}::uuid[]`
  }
}

/** The stamps within bounds, which may be absent, infinite or fractions. Empty if the first is after the second. */
export function wholeRange(fromUs = 0, toUs = mostUs): readonly [from: number, to: number] {
  return [Math.ceil(Math.max(fromUs, 0)), Math.floor(Math.min(toUs, mostUs))]
}

function joined(
  of: readonly Query[],
  operator: string,
  empty: string,
  write: (part: Query) => string,
  before: readonly string[] = [],
): string {
  const parts = [...before, ...of.map(write)]
  return parts.length === 0 ? empty : `(${parts.join(` ${operator} `)})`
}

/** Separates the terms among parts, each of them once. */
export function termsAmong(parts: readonly Query[]) {
  const terms = new Set(parts.flatMap(part => (part.op === 'term' ? [part.term] : [])))
  return { terms: [...terms], others: parts.filter(part => part.op !== 'term') }
}

/** True if a query matches all documents. */
export function isAll(query: Query): boolean {
  return conjuncts(query).every(part => part.op === 'all')
}

/** True if terms lead to all matches, and no id or time restricts them. */
export function isFoundByTerms(query: Query): boolean {
  const parts = conjuncts(query)
  const isTerms = (part: Query): boolean =>
    part.op === 'or' ? part.of.length > 0 && alternatives(part.of).every(isTerms) : part.op === 'term'
  return (
    parts.some(isTerms) &&
    !parts.some(part => part.op === 'ids' || part.op === 'created' || part.op === 'modified')
  )
}

/** The parts that all matches must fulfil, with nested ANDs flattened. What they exclude is one part: NOT (a OR b …). */
export function conjuncts(query: Query): Query[] {
  const parts = flat(query)
  const excluded = parts.flatMap(part => (part.op === 'not' ? [part.of] : []))
  if (excluded.length < 2) return parts
  return [...parts.filter(part => part.op !== 'not'), { op: 'not', of: { op: 'or', of: excluded } }]
}

const flat = (query: Query): Query[] => (query.op === 'and' ? query.of.flatMap(flat) : [query])

export function alternatives(of: readonly Query[]): Query[] {
  return of.flatMap(part => (part.op === 'or' ? alternatives(part.of) : [part]))
}
