import fc from 'fast-check'
import t from 'tap'
import { type Candidate, choose } from './choose.ts'

const rooms = { waiting: { overall: 4, perTenant: 2 }, delivery: { overall: 3, perTenant: 2 } }
const of = (tenant: string, stage: Candidate['stage'] = 'waiting') => ({ tenant, stage })
const times = (count: number, one: Candidate) => Array.from({ length: count }, () => one)

t.test('each stage has its own room, and each tenant a part of it', async t => {
  const cases: readonly [name: string, due: Candidate[], underWay: Candidate[], chosen: string][] = [
    ['nothing is due', [], [of('a')], ''],
    ['a tenant has its part and no more', times(9, of('a')), [], 'aa'],
    ['what it has under way counts', times(9, of('a')), [of('a')], 'a'],
    ['of the other stage it does not', times(9, of('a')), times(2, of('a', 'delivery')), 'aa'],
    ['tenants take turns', [...times(9, of('a')), ...times(9, of('b'))], [], 'abab'],
    ['all of them share what there is', 'aabbccdd'.split('').map(name => of(name)), [], 'abcd'],
    ['who has less under way comes first', [...times(9, of('a')), of('b')], [of('a'), of('c'), of('c')], 'b'],
    ['nothing fits where all is full', times(9, of('a')), 'bbcc'.split('').map(name => of(name)), ''],
    [
      'what waits for one stage does not hold up the other',
      [...times(9, of('a')), of('a', 'delivery')],
      times(2, of('a')),
      'a',
    ],
  ]
  for (const [name, due, underWay, wanted] of cases) {
    const chosen = choose(due, underWay, rooms)
    t.equal(chosen.map(({ tenant }) => tenant).join(''), wanted, name)
  }
})

t.test('there is never more than there is room for, and never less than would fit', async t => {
  const candidate = fc.record({
    tenant: fc.constantFrom('a', 'b', 'c'),
    stage: fc.constantFrom('waiting' as const, 'delivery' as const),
  })
  const count = (list: readonly Candidate[], stage: string, tenant?: string) =>
    list.filter(one => one.stage === stage && (tenant === undefined || one.tenant === tenant)).length
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 30 }), due => {
        const chosen = choose(due, [], rooms)
        const left = due.filter(one => !chosen.includes(one))
        const fits = ({ tenant, stage }: Candidate) =>
          count(chosen, stage) < rooms[stage].overall && count(chosen, stage, tenant) < rooms[stage].perTenant
        const isWithin = chosen.every(
          ({ tenant, stage }) =>
            count(chosen, stage) <= rooms[stage].overall &&
            count(chosen, stage, tenant) <= rooms[stage].perTenant,
        )
        return isWithin && !left.some(fits) && new Set(chosen).size === chosen.length
      }),
    ),
  )
})
