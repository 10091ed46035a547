import tap from 'tap'
import type { Result } from '../src/result.ts'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { contract, openReference } from './_reference.ts'
import { allLies } from './lies.ts'

/**
 * Each lie turns the cases red that it names, and leaves its control green. `npm run lies` runs all cases against
 * each. Told in several files, so that they take turns with other tests.
 */
export async function catchLies(areas: RegExp): Promise<void> {
  const lies = [...(await allLies())].filter(([, lie]) => areas.test(lie.turns[0] ?? ''))
  const reference = await openReference()
  tap.teardown(reference.close)

  tap.ok(lies.length > 10, `${lies.length} lies`)

  for (const [name, lie] of lies) {
    tap.test(name, async t => {
      const { control = 'DAT-001.a', turns } = lie
      t.ok(turns.length > 0 && !turns.includes(control))
      const target = {
        ...reference.target,
        patienceMs: 5_000,
        fetch: lie.tell(reference.target.fetch, reference.target),
      }
      const made = await run(target, { contract, profile: 'surrogate', only: [...turns, control], seed: 1 })
      const of = (id: string) => made.results.find(result => result.case.id === id) as Result
      for (const id of turns) t.equal(outcomeOf(of(id), 'surrogate'), 'fail', `${id} turns red`)
      t.equal(
        outcomeOf(of(control), 'core'),
        'pass',
        `${control} stays green: ${of(control).findings[0]?.message}`,
      )
    })
  }
}
