// Only in CI: it runs the whole suite against a mutant of each group.
import tap from 'tap'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { groups } from './groups.ts'
import { allMutants } from './mutants.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(1_200_000)
tap.comment('timeout=1200000')

for (const [group, { cases, alone }] of Object.entries(groups))
  tap.test(`${group}: no case outside the group detects ${alone}`, { timeout: 300_000 }, async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    const mutant = allMutants.get(alone)
    t.ok(mutant, 'the mutant exists')
    const fetch = mutant?.change(reference.target.fetch, reference.target)
    const target = { ...reference.target, patienceMs: 3_000, ...(fetch && { fetch }) }
    const made = await run(target, { contract, capabilities, profile: 'surrogate', concurrency: 8 })
    const failed = made.results.filter(one => outcomeOf(one, 'surrogate') === 'fail').map(one => one.case.id)
    const own = new Set(cases.map(one => one.id))
    t.ok(failed.length > 0, `the group detects it: ${failed.join(' ')}`)
    t.same(
      failed.filter(id => !own.has(id)),
      [],
    )
  })
