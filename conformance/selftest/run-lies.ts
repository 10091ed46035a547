/**
 * `npm run lies [name …]`: the whole suite against every lie, or against those named, and the table of lies against
 * requirements. Takes as many times the length of a run as there are lies.
 */
import { run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { contract, openReference } from './_reference.ts'
import { allLies } from './lies.ts'

const asked = process.argv.slice(2)
const lies = [...(await allLies())].filter(([name]) => asked.length === 0 || asked.includes(name))
const write = (line: string) => process.stdout.write(`${line}\n`)
const caughtBy = new Map<string, string[]>()
let missed = asked.length > lies.length ? 1 : 0

for (const [name, lie] of lies) {
  // A vault of its own each: what one lie leaves behind is nothing to the next.
  const reference = await openReference()
  const target = {
    ...reference.target,
    patienceMs: 3_000,
    fetch: lie.tell(reference.target.fetch, reference.target),
  }
  const made = await run(target, { contract, profile: 'surrogate' })
  await reference.close()
  const red = new Set(
    made.results.filter(result => outcomeOf(result, 'surrogate') === 'fail').map(result => result.case.id),
  )
  const unseen = lie.turns.filter(id => !red.has(id))
  missed += unseen.length
  for (const id of red) caughtBy.set(id, [...(caughtBy.get(id) ?? []), name])
  const others = [...red].filter(id => !lie.turns.includes(id)).sort()
  write(`${unseen.length === 0 ? 'caught' : 'MISSED'} ${name}`)
  write(`  named: ${lie.turns.join(' ')}${unseen.length === 0 ? '' : `; not red: ${unseen.join(' ')}`}`)
  write(`  also red: ${others.length > 20 ? `${others.length} cases` : others.join(' ') || 'none'}`)
}
write('')
for (const [id, names] of [...caughtBy].sort(([a], [b]) => (a < b ? -1 : 1))) {
  write(`${id.padEnd(10)} ${names.length > 8 ? `${names.length} lies` : names.join(', ')}`)
}
write(`${lies.length} lies, ${caughtBy.size} cases turned red by one`)
process.exitCode = missed === 0 ? 0 : 1
