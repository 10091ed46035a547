import type { Query } from '../../../port/port.ts'
import { checked, within } from '../sql.ts'
import type { Condition } from '../where.ts'
import { bitsOf } from './bits.ts'
import type { Folded } from './fold-state.ts'
import { split, termsOf } from './split.ts'

/** A query whose total is counted. */
interface Counted {
  readonly query: Query
  /** The parameter with the time at which documents are due. */
  readonly now: string
  /** The statement that counts row by row. */
  readonly byRows: string
}

/**
 * A statement that counts in blocks. All of it reads one state of the database, in which it verifies that blocks and
 * terms are as `folded` says; otherwise it counts row by row.
 *
 * Blocks have the documents up to `folded_us` as they were when they were folded. So these are added or subtracted:
 * newer documents; those that were removed or replaced since; and those for which blocks do not know the result, as
 * they have an unfolded term, a certain id or time, or are due.
 */
export function countInBlocks({ query, now, byRows }: Counted, folded: Folded, condition: Condition): string {
  const { part, special } = split(query, term => folded.terms.has(term))
  const known = [...termsOf(part)]
  const isDue = `due_ms <= ${now}::bigint`
  const matches = `(${condition.checking(query)} AND (due_ms IS NULL OR due_ms > ${now}::bigint))`
  const inBlocks = `(${condition.checking(part)})`
  const foldedUs = `${condition.value(folded.foldedUs)}::bigint`
  const own = (table: string, where: string) => `FROM ${table} WHERE ${within(where)}`
  const end = `(SELECT folded_us ${own('collections', 'TRUE')})`

  const isAsKnown = `(SELECT folded_us >= ${foldedUs} AND known_stamps = last_us + last_created_us
    AND known_documents = documents ${own('collections', 'TRUE')})
    AND (SELECT count(*) ${own('folded_terms', `term = ANY(${condition.digests(known)})`)}) = ${known.length}`

  const joins: string[] = []
  const bits = bitsOf(part, condition, joins)
  const added = [
    `(SELECT coalesce(sum(bit_count(live & ${bits})), 0) ${own(`blocks ${joins.join(' ')}`, 'TRUE')})`,
    `(SELECT count(*) ${own('documents', `created_us > ${foldedUs} AND created_us > ${end} AND ${matches}`)})`,
    `(SELECT count(*) ${own('documents', `created_us = ANY(ARRAY(SELECT created_us ${own('stale_documents', 'TRUE')})) AND ${inBlocks}`)})`,
  ]
  const stale = `(SELECT count(*) ${own('stale_documents', inBlocks)})`

  const ways = [
    ...special.others.map(one => ({ leads: within(condition.of(one)), test: condition.checking(one) })),
    ...(special.terms.length === 0
      ? []
      : [termsWay({ op: 'or', of: special.terms.map(term => ({ op: 'term', term })) }, condition)]),
    { leads: within(isDue), test: `coalesce(${isDue}, FALSE)` },
  ]
  // A document that several ways lead to is counted by the first.
  const corrected = ways.map(({ leads }, at) => {
    const elsewhere = ways.slice(0, at).map(({ test }) => ` AND NOT ${test}`)
    return `(SELECT coalesce(sum(${matches}::int - ${inBlocks}::int), 0) FROM documents
      WHERE ${leads} AND created_us <= ${end}${elsewhere.join('')})`
  })
  return `SELECT CASE WHEN ${isAsKnown} THEN ${[...added, ...corrected].join(' + ')} - ${stale}
    ELSE (${byRows}) END AS total`
}

function termsWay(any: Query, condition: Condition) {
  return { leads: checked(condition.of(any)), test: condition.checking(any) }
}
