import type { Digest, Query } from '../../../port.ts'
import { alternatives, type Condition, wholeRange } from '../where.ts'
import { blockBits } from './limits.ts'

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
      return anyOf([query.term], condition, joins)
    case 'created':
      return createdWithin(query, condition)
    case 'and':
      return query.of.length === 0 ? every : `(${query.of.map(part).join(' & ')})`
    case 'or': {
      const parts = alternatives(query.of)
      const terms = parts.flatMap(one => (one.op === 'term' ? [one.term] : []))
      const others = parts.filter(one => one.op !== 'term').map(part)
      const any = terms.length === 0 ? [] : [anyOf(terms, condition, joins)]
      return `(${[none, ...any, ...others].join(' | ')})`
    }
    case 'not':
      return `~(${part(query.of)})`
  }
}

/** A term without a row has no document in the block. */
function anyOf(terms: readonly Digest[], condition: Condition, joins: string[]): string {
  const wanted = condition.digests(terms)
  const [bits, which, end] =
    terms.length === 1
      ? ['bits', `= (${wanted})[1]`, '']
      : ['bit_or(bits)', `= ANY(${wanted})`, 'GROUP BY block']
  const name = `any_${joins.length}`
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
