import tap from 'tap'
import { cases } from '../src/run.ts'
import { kinds } from './kinds.ts'
import { allMutants } from './mutants.ts'

tap.test('each kind of fault has cases, and a mutant that these detect', async t => {
  const mutants = Object.values(kinds).map(({ mutant }) => mutant)
  t.ok(mutants.length > 50, `${mutants.length} kinds`)
  t.equal(new Set(mutants).size, mutants.length, 'each has a mutant of its own')
  for (const [name, { mutant, cases: own }] of Object.entries(kinds)) {
    t.ok(
      cases.some(({ id }) => own.test(id)),
      `${name} has cases`,
    )
    const failing = allMutants.get(mutant)?.failing ?? []
    t.ok(failing.length > 0 && failing.every(id => own.test(id)), `${mutant} names cases of ${name}`)
  }
})
