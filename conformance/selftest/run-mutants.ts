/**
 * `npm run verify -- mutants [name …]`: runs the whole suite against every mutant, or against those named, and prints a table of
 * cases and the mutants that they catch. Takes as long as one run of the suite for each mutant.
 */
import { failuresOn } from './failures.ts'
import { isOfKind, kinds } from './kinds.ts'
import { allMutants } from './mutants.ts'

const asked = process.argv.slice(2)
const mutants = [...allMutants].filter(([name]) => asked.length === 0 || asked.includes(name))
const write = (line: string) => process.stdout.write(`${line}\n`)
const caughtBy = new Map<string, string[]>()
let missed = asked.length > mutants.length ? 1 : 0

for (const [name, { failing }] of mutants) {
  const results = await failuresOn(name)
  const failed = new Set(results.map(one => one.case.id))
  const passed = failing.filter(id => !failed.has(id))
  missed += passed.length
  for (const id of failed) caughtBy.set(id, [...(caughtBy.get(id) ?? []), name])
  const others = [...failed].filter(id => !failing.includes(id)).sort()
  write(`${passed.length === 0 ? 'caught' : 'MISSED'} ${name}`)
  write(`  named: ${failing.join(' ')}${passed.length === 0 ? '' : `; passed: ${passed.join(' ')}`}`)
  write(`  also failed: ${others.length > 20 ? `${others.length} cases` : others.join(' ') || 'none'}`)
  for (const [what, kind] of Object.entries(kinds).filter(([, { mutant }]) => mutant === name)) {
    const strangers = results.filter(one => !isOfKind(kind, one))
    missed += strangers.length
    write(`  its kind: ${what}, ${strangers.length === 0 ? 'alone' : 'NOT ALONE'}`)
    for (const one of strangers) write(`    ${one.case.id} ${one.findings[0]?.message}`)
  }
}
write('')
for (const [id, names] of [...caughtBy].sort(([a], [b]) => (a < b ? -1 : 1))) {
  write(`${id.padEnd(10)} ${names.length > 8 ? `${names.length} mutants` : names.join(', ')}`)
}
write(`${mutants.length} mutants, ${caughtBy.size} cases that fail on one`)
process.exitCode = missed === 0 ? 0 : 1
