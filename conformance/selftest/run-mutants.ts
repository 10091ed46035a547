/**
 * `npm run verify -- mutants [name …]`: runs the whole suite against every mutant, or against those named, and prints a table of
 * cases and the mutants that they catch. Takes as long as one run of the suite for each mutant.
 */
import type { Result } from '../src/result.ts'
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { allMutants } from './mutants.ts'
import type { Mutant } from './mutate.ts'

const asked = process.argv.slice(2)
const mutants = [...allMutants].filter(([name]) => asked.length === 0 || asked.includes(name))
const write = (line: string) => process.stdout.write(`${line}\n`)
const caughtBy = new Map<string, string[]>()
let missed = asked.length > mutants.length ? 1 : 0

for (const [name, mutant] of mutants) {
  const { failing } = mutant
  const results = await failuresOn(mutant)
  const failed = new Set(results.map(one => one.case.id))
  // What holds for every response is judged once in a run: a case that shows nothing else fails where it is run alone.
  const quiet = failing.filter(id => !failed.has(id))
  const alone = quiet.length === 0 ? [] : (await failuresOn(mutant, { only: quiet })).map(one => one.case.id)
  const passed = quiet.filter(id => !alone.includes(id))
  missed += passed.length
  for (const id of failed) caughtBy.set(id, [...(caughtBy.get(id) ?? []), name])
  const others = [...failed].filter(id => !failing.includes(id)).sort()
  write(`${passed.length === 0 ? 'caught' : 'MISSED'} ${name}`)
  write(`  named: ${failing.join(' ')}${passed.length === 0 ? '' : `; passed: ${passed.join(' ')}`}`)
  write(`  also failed: ${others.length > 20 ? `${others.length} cases` : others.join(' ') || 'none'}`)
}
write('')
for (const [id, names] of [...caughtBy].sort(([a], [b]) => (a < b ? -1 : 1)))
  write(`${id.padEnd(10)} ${names.length > 8 ? `${names.length} mutants` : names.join(', ')}`)
write(`${mutants.length} mutants, ${caughtBy.size} cases that fail on one`)
process.exitCode = missed === 0 ? 0 : 1

/** Runs the whole suite, or some cases, against a mutant, on a server of its own, and returns what failed. */
async function failuresOn(mutant: Mutant, some: { only?: string[] } = {}): Promise<readonly Result[]> {
  const reference = await openReference()
  const { target } = reference
  const changed = { ...target, patienceMs: 3_000, fetch: mutant.change(target.fetch, target) }
  try {
    const made = await run(changed, { contract, capabilities, profile: 'surrogate', concurrency: 8, ...some })
    return made.results.filter(one => outcomeOf(one, 'surrogate') === 'fail')
  } finally {
    await reference.close()
  }
}
