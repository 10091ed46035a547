/**
 * `npm run vectors`: makes `conformance/vectors.json` of the cases of core, for the package. `npm run vectors -- TOK-048.*`
 * prints the vectors of the cases that match instead.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { matching } from '../../src/selection.ts'
import { makeVectors, textOf } from './all.ts'

const patterns = process.argv.slice(2)
const made = await makeVectors(
  one => patterns.length === 0 || patterns.some(pattern => matching(pattern, one)),
)
if (patterns.length > 0) process.stdout.write(textOf(made))
else {
  await writeFile(new URL('../../vectors.json', import.meta.url), textOf(made))
  const left = Object.keys(made.left_out).length
  const share = `${made.vectors.length} of the ${made.vectors.length + left} cases of core`
  const guide = await readFile(new URL('../../GUIDE.md', import.meta.url), 'utf8')
  if (!guide.includes(share)) throw new Error(`GUIDE.md has another number of vectors than ${share}`)
  process.stdout.write(`vectors.json: ${made.vectors.length} cases of core, without ${left}\n`)
}
