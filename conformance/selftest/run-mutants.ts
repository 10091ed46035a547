/**
 * `npm run verify -- mutants [name …]`: runs the whole suite against every mutant, or against those named, and prints a table of
 * cases and the mutants that they catch. Takes as long as one run of the suite for each mutant.
 */
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract, openReference } from './_reference.ts'
import { groupOf } from './groups.ts'
import { allMutants } from './mutants.ts'

const asked = process.argv.slice(2)
const mutants = [...allMutants].filter(([name]) => asked.length === 0 || asked.includes(name))
const write = (line: string) => process.stdout.write(`${line}\n`)
const caughtBy = new Map<string, string[]>()
let missed = asked.length > mutants.length ? 1 : 0

for (const [name, mutant] of mutants) {
  // A new vault for each, so that what a mutant leaves behind does not affect the next.
  const reference = await openReference()
  const target = {
    ...reference.target,
    patienceMs: 3_000,
    fetch: mutant.change(reference.target.fetch, reference.target),
  }
  const made = await run(target, { contract, capabilities, profile: 'surrogate', concurrency: 8 })
  await reference.close()
  const failed = new Set(
    made.results.filter(result => outcomeOf(result, 'surrogate') === 'fail').map(result => result.case.id),
  )
  const passed = mutant.failing.filter(id => !failed.has(id))
  missed += passed.length
  for (const id of failed) caughtBy.set(id, [...(caughtBy.get(id) ?? []), name])
  const inGroups = new Set([...failed].map(id => groupOf(id) ?? 'no group'))
  const others = [...failed].filter(id => !mutant.failing.includes(id)).sort()
  write(`${passed.length === 0 ? 'caught' : 'MISSED'} ${name}`)
  write(`  named: ${mutant.failing.join(' ')}${passed.length === 0 ? '' : `; passed: ${passed.join(' ')}`}`)
  write(`  killed by: ${[...inGroups].sort().join(', ')}${inGroups.size === 1 ? ' alone' : ''}`)
  write(`  also failed: ${others.length > 20 ? `${others.length} cases` : others.join(' ') || 'none'}`)
}
write('')
for (const [id, names] of [...caughtBy].sort(([a], [b]) => (a < b ? -1 : 1))) {
  write(`${id.padEnd(10)} ${names.length > 8 ? `${names.length} mutants` : names.join(', ')}`)
}
write(`${mutants.length} mutants, ${caughtBy.size} cases that fail on one`)
process.exitCode = missed === 0 ? 0 : 1
