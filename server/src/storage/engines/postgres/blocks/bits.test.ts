import t from 'tap'
import { tenantA, term } from '../../../port/port.samples.ts'
import type { Query } from '../../../port/port.ts'
import { Condition } from '../where.ts'
import { bitsOf } from './bits.ts'

const not = (of: Query): Query => ({ op: 'not', of })
const terms = (count: number, from = 0) => Array.from({ length: count }, (_, n) => term(from + n))

function countJoins(query: Query): number {
  const joins: string[] = []
  bitsOf(query, new Condition([tenantA, 4], true), joins)
  return joins.length
}

// A join for each of a hundred terms takes longer to plan than all of the rest takes.
t.test('terms that are combined in the same way are read together', async t => {
  t.equal(countJoins({ op: 'or', of: terms(100) }), 1)
  t.equal(countJoins({ op: 'and', of: terms(100) }), 1)
  t.equal(countJoins({ op: 'and', of: terms(100).map(not) }), 1)
  t.equal(countJoins({ op: 'and', of: [...terms(50), ...terms(50, 50).map(not)] }), 2)
  t.equal(countJoins({ op: 'and', of: [not({ op: 'or', of: terms(2) }), not(term(3))] }), 1)
  t.equal(countJoins({ op: 'or', of: [term(1), { op: 'and', of: terms(2, 2) }] }), 2, 'the control')
})
