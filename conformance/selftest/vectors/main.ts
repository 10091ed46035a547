/**
 * `npm run vectors`: makes `conformance/vectors.json` of the cases of core, for the package. `npm run vectors -- TOK-048.*`
 * prints the vectors of the cases that match instead.
 */
import { writeFile } from 'node:fs/promises'
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
  process.stdout.write(`vectors.json: ${made.vectors.length} cases of core, without ${left}\n`)
}
