import type { Digest, Query } from '../../../port/port.ts'
import { alternatives, type Condition, conjuncts, termsAmong, wholeRange } from '../where.ts'
import { blockBits } from './fold-limits.ts'

const none = `0::bit(${blockBits})`
const every = `(~(${none}))`

/**
 * Writes a query over folded terms and times of creation as an expression for the documents of a row of `blocks`. The
 * result has bits without a document, too: the caller intersects it with `live`.
 * @param joins becomes what has to be joined to `blocks`. That is faster than reading the terms block by block.
 */
export function bitsOf(query: Query, condition: Condition, joins: string[]): string {
  const part = (one: Query) => bitsOf(one, condition, joins)
  switch (query.op) {
    case 'all':
      return every
    case 'none':
    // Found in another way: see `split`.
    case 'ids':
    case 'modified':
      return none
    case 'term':
      return bitsOfTerms([query.term], 'or', condition, joins)
    case 'created':
      return createdWithin(query, condition)
    case 'and': {
      const { terms, others } = termsAmong(conjuncts(query))
      const all = terms.length === 0 ? [] : [bitsOfTerms(terms, 'and', condition, joins)]
      return `(${[every, ...all, ...others.map(part)].join(' & ')})`
    }
    case 'or': {
      const { terms, others } = termsAmong(alternatives(query.of))
      const any = terms.length === 0 ? [] : [bitsOfTerms(terms, 'or', condition, joins)]
      return `(${[none, ...any, ...others.map(part)].join(' | ')})`
    }
    case 'not':
      return `~(${part(query.of)})`
  }
}

/** The documents with one of the terms, or with all of them. A term without a row has no document in the block. */
function bitsOfTerms(
  terms: readonly Digest[],
  op: 'and' | 'or',
  condition: Condition,
  joins: string[],
): string {
  const wanted = condition.digests(terms)
  const together =
    op === 'or' ? 'bit_or(bits)' : `CASE WHEN count(*) = ${terms.length} THEN bit_and(bits) END`
  const [bits, which, end] =
    terms.length === 1 ? ['bits', `= (${wanted})[1]`, ''] : [together, `= ANY(${wanted})`, 'GROUP BY block']
  const name = `terms_${joins.length}`
  joins.push(`LEFT JOIN (SELECT block, ${bits} AS bits FROM term_blocks
    WHERE tenant = $1::uuid AND kind = $2::smallint AND term ${which} ${end}) AS ${name} ON ${name}.block = blocks.block`)
  return `coalesce(${name}.bits, ${none})`
}

/** The documents of a block are in the order of their stamps, so a range of times is a range of bits. */
function createdWithin({ fromUs, toUs }: { fromUs?: number; toUs?: number }, condition: Condition): string {
  const [first, last] = wholeRange(fromUs, toUs)
  if (!(first <= last)) return none
  const from = `${condition.value(first)}::bigint`
  const to = `${condition.value(last)}::bigint`
  const placesBefore = (us: string) => `width_bucket(${us}, stamps)`
  return `CASE WHEN last_us < ${from} OR first_us > ${to} THEN ${none}
    WHEN first_us >= ${from} AND last_us <= ${to} THEN ${every}
    ELSE (${every} >> ${placesBefore(`${from} - 1`)}) & ~(${every} >> ${placesBefore(to)}) END`
}
