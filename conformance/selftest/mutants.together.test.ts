// Only in CI: it runs cases against mutants.
import tap from 'tap'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { allMutants } from './mutants.ts'

/** Faults of every kind that had gone unnoticed, in one server: none may hide another. */
const together = [
  'trims-texts',
  'escapes-markup',
  'rounds-to-six-decimals',
  'tokenize-drops-null',
  'trims-metadata',
  'unauthorized-create-stores',
  'refused-update-keeps-metadata',
  'update-in-other-type-applies',
  'keys-in-any-case',
  'ids-by-prefix',
  'finds-a-prefix-of-an-index',
  'idempotency-of-all-callers',
  'key-in-a-header',
  'status-of-problems-is-400',
  'offset-reversed',
  'created-again-keeps-its-change',
]

tap.test('sixteen faults at once are each caught', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const { target } = reference
  const mutants = together.map(name => {
    const mutant = allMutants.get(name)
    if (!mutant) throw new Error(`no mutant ${name}`)
    return { name, ...mutant }
  })
  const fetch = mutants.reduce((next, { change }) => change(next, target), target.fetch)
  const only = [...new Set(mutants.flatMap(({ failing }) => failing))]
  const options = { contract, capabilities, profile: 'surrogate', only, seed: 1 } as const
  const made = await run({ ...target, fetch, patienceMs: 5_000 }, options)
  t.same(made.verdicts, { core: 'not conformant', surrogate: 'not conformant' })
  for (const { name, failing } of mutants)
    for (const id of failing) {
      const result = made.results.find(one => one.case.id === id)
      t.equal(result && outcomeOf(result, 'surrogate'), 'fail', `${id} fails by ${name}`)
    }
  const honest = await run(target, options)
  const failed = honest.results.filter(one => outcomeOf(one, 'surrogate') === 'fail')
  t.same(failed, [], 'the control: without them')
})
