import type { Result } from '../src/result.ts'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { allMutants } from './mutants.ts'

/** Runs the whole suite against a mutant, on a server of its own, and returns what failed. */
export async function failuresOn(name: string): Promise<readonly Result[]> {
  const mutant = allMutants.get(name)
  if (!mutant) throw new Error(`no mutant ${name}`)
  const reference = await openReference()
  const { target } = reference
  const changed = { ...target, patienceMs: 3_000, fetch: mutant.change(target.fetch, target) }
  try {
    const made = await run(changed, { contract, capabilities, profile: 'surrogate', concurrency: 8 })
    return made.results.filter(one => outcomeOf(one, 'surrogate') === 'fail')
  } finally {
    await reference.close()
  }
}
