import tap from 'tap'
import type { Result } from '../src/result.ts'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import type { Mutants } from './mutate.ts'

/**
 * Checks that each mutant fails the cases that it names and passes its control. `npm run mutants` runs all cases
 * against each. Called from several files, which run in parallel.
 */
export async function catchMutants(mutants: Mutants): Promise<void> {
  const reference = await openReference()
  tap.teardown(reference.close)

  for (const [name, mutant] of Object.entries(mutants)) {
    tap.test(name, async t => {
      const { control = 'DAT-001.a', failing } = mutant
      t.ok(failing.length > 0 && !failing.includes(control))
      const target = {
        ...reference.target,
        patienceMs: 5_000,
        fetch: mutant.change(reference.target.fetch, reference.target),
      }
      const made = await run(target, {
        contract,
        capabilities,
        profile: 'surrogate',
        only: [...failing, control],
        seed: 1,
      })
      const of = (id: string) => made.results.find(result => result.case.id === id) as Result
      for (const id of failing) t.equal(outcomeOf(of(id), 'surrogate'), 'fail', `${id} fails`)
      t.equal(
        outcomeOf(of(control), 'core'),
        'pass',
        `${control} passes: ${of(control).findings[0]?.message}`,
      )
    })
  }
}
