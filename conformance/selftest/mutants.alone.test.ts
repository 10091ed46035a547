// Only at night: it runs the whole suite against mutants.
import tap from 'tap'
import { failuresOn } from './failures.ts'
import { isOfKind, kinds } from './kinds.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(1_200_000)
tap.comment('timeout=1200000')

// Each takes a run of the suite. `npm run verify -- mutants` checks all kinds, as the nightly run does.
for (const [name, kind] of Object.entries(kinds).filter((_, index) => index % 9 === 0))
  tap.test(`${name}: only its own cases detect ${kind.mutant}`, { timeout: 300_000 }, async t => {
    const failed = await failuresOn(kind.mutant)
    const [own, others] = [true, false].map(is => failed.filter(one => isOfKind(kind, one) === is))
    t.ok(
      own?.some(one => kind.cases.test(one.case.id)),
      'its cases detect it',
    )
    t.same(
      others?.map(one => `${one.case.id} ${one.findings[0]?.message}`),
      [],
    )
  })
