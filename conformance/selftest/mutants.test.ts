// Only in CI: it runs cases against mutants.
// In a process of its own: it takes long.
import tap from 'tap'
import type { Result } from '../src/result.ts'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { allMutants } from './mutants.ts'
import type { Mutant } from './mutate.ts'

/**
 * Checks that each mutant fails the cases that it names and passes its control. `npm run verify -- mutants` runs all cases
 * against each.
 */
// Machines that run other tests at the same time are slow.
tap.setTimeout(1_800_000)
tap.comment('timeout=1800000')

const control = (mutant: Mutant) => mutant.control ?? 'DAT-001.a'

type Reference = Awaited<ReturnType<typeof openReference>>

function runOn({ target }: Reference, mutant: Mutant) {
  return run(
    { ...target, patienceMs: 5_000, fetch: mutant.change(target.fetch, target) },
    {
      contract,
      capabilities,
      profile: 'surrogate',
      only: [...mutant.failing, control(mutant)],
      seed: 1,
    },
  )
}

// Several at a time, since some wait for what a mutant never does; each on a server of its own.
const lanes: { readonly reference: Reference; last: Promise<unknown> }[] = []
for (let lane = 0; lane < 4; lane++) {
  const reference = await openReference()
  tap.teardown(reference.close)
  lanes.push({ reference, last: Promise.resolve() })
}
for (const [index, [name, mutant]] of [...allMutants].entries()) {
  const lane = lanes[index % lanes.length] as (typeof lanes)[number]
  const ended = lane.last.then(() => runOn(lane.reference, mutant))
  lane.last = ended.catch(() => {})
  tap.test(name, async t => {
    const { failing } = mutant
    const passing = control(mutant)
    t.ok(failing.length > 0 && !failing.includes(passing))
    const made = await ended
    const of = (id: string) => made.results.find(result => result.case.id === id) as Result
    for (const id of failing) t.equal(outcomeOf(of(id), 'surrogate'), 'fail', `${id} fails`)
    t.equal(outcomeOf(of(passing), 'core'), 'pass', `${passing} passes: ${of(passing).findings[0]?.message}`)
  })
}
