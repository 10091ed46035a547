import fc from 'fast-check'
import t from 'tap'
import { type Candidate, choose } from './choose.ts'

const rooms = { waiting: { total: 8, tenant: 4 }, delivery: { total: 6, tenant: 4 } }
const ofOrigins = {
  waiting: { total: 4, tenant: 4 },
  delivery: { total: 6, tenant: 4, host: 3, hostOfTenant: 2 },
}
const of = (tenant: string, stage: Candidate['stage'] = 'waiting', requester = ''): Candidate => ({
  stage,
  party: { tenant, application: tenant + requester },
})
const times = (count: number, one: Candidate) => Array.from({ length: count }, () => one)

t.test('each stage has its own room, and each tenant a part of it', async t => {
  const cases: readonly [name: string, due: Candidate[], underWay: Candidate[], chosen: string][] = [
    ['nothing is due', [], [of('a')], ''],
    ['a tenant has its part and no more', times(9, of('a')), [], 'aaaa'],
    ['what it has under way counts', times(9, of('a')), [of('a')], 'aaa'],
    ['of the other stage it does not', times(9, of('a')), times(2, of('a', 'delivery')), 'aaaa'],
    ['tenants take turns, and leave room', [...times(9, of('a')), ...times(9, of('b'))], [], 'ababa'],
    ['all of them share what there is', 'aabbccdd'.split('').map(name => of(name)), [], 'abcdab'],
    [
      'who has less under way comes first',
      [...times(9, of('a')), of('b')],
      'accc'.split('').map(name => of(name)),
      'ba',
    ],
    ['nothing fits where all is full', times(9, of('a')), 'bbbbcccc'.split('').map(name => of(name)), ''],
    [
      'what waits for one stage does not hold up the other',
      [...times(9, of('a')), of('a', 'delivery')],
      times(4, of('a')),
      'a',
    ],
  ]
  for (const [name, due, underWay, wanted] of cases) {
    const chosen = choose(due, underWay, rooms)
    t.equal(chosen.map(({ party }) => party.tenant).join(''), wanted, name)
  }
})

t.test('a target has a part of the capacity for deliveries, and of that of a tenant', async t => {
  const to = (tenant: string, host: string): Candidate => ({
    stage: 'delivery',
    party: { tenant, application: tenant, host, hostOfTenant: `${tenant} ${host}` },
  })
  const cases: readonly [name: string, due: Candidate[], underWay: Candidate[], chosen: string][] = [
    ['of one tenant', times(9, to('a', 'x')), [], 'ax ax'],
    ['its deliveries to others go on', [...times(9, to('a', 'x')), to('a', 'y')], [], 'ax ax ay'],
    ['what is under way counts', [...times(9, to('a', 'x')), to('a', 'y')], times(2, to('a', 'x')), 'ay'],
    ['of all tenants', 'abcd'.split('').map(name => to(name, 'x')), [], 'ax bx cx'],
    ['another target is none of that', 'abcd'.split('').map(name => to(name, name)), [], 'aa bb cc dd'],
    ['formulas have no target', times(9, of('a')), [], 'a a a a'],
  ]
  for (const [name, due, underWay, wanted] of cases) {
    const chosen = choose(due, underWay, ofOrigins).map(({ party: { tenant, host = '' } }) => tenant + host)
    t.equal(chosen.join(' '), wanted, name)
  }
})

t.test('applications and sessions of a tenant take turns, and have their shares', async t => {
  const bounds = { total: 9, tenant: 4, application: 3, session: 1 }
  const of = (application: string, session?: string): Candidate => ({
    stage: 'waiting',
    party: { tenant: 'a', application, session },
  })
  const names = (due: readonly Candidate[], underWay: readonly Candidate[] = []) =>
    choose(due, underWay, { waiting: bounds, delivery: bounds })
      .map(({ party: { application, session } }) => session ?? application)
      .join(' ')
  const sessions = [...times(9, of('public', 's')), ...times(9, of('public', 't'))]
  t.equal(names(sessions), 's t')
  t.equal(names([...sessions, ...times(9, of('backend'))]), 's t backend backend')
  t.equal(names([...times(9, of('public')), of('backend')]), 'public backend public public')
  t.equal(names([...sessions, of('backend')], times(3, of('public'))), 'backend')
})

t.test('there is never more than there is room for, and never less than would fit', async t => {
  const candidate = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('waiting' as const, 'delivery' as const))
    .map(([tenant, stage]) => of(tenant, stage))
  const count = (list: readonly Candidate[], stage: string, tenant?: string) =>
    list.filter(one => one.stage === stage && (tenant === undefined || one.party.tenant === tenant)).length
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 30 }), due => {
        const chosen = choose(due, [], rooms)
        const left = due.filter(one => !chosen.includes(one))
        const fits = ({ stage, party: { tenant } }: Candidate) => {
          const { total, tenant: share } = rooms[stage]
          const [all, own] = [count(chosen, stage), count(chosen, stage, tenant)]
          return all < total && (own === 0 || own + 1 <= ((total - all - 1) * share) / (total - share))
        }
        const isWithin = chosen.every(
          ({ stage, party: { tenant } }) =>
            count(chosen, stage) <= rooms[stage].total && count(chosen, stage, tenant) <= rooms[stage].tenant,
        )
        return isWithin && !left.some(fits) && new Set(chosen).size === chosen.length
      }),
    ),
  )
})
