import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import t from 'tap'
import { sourcePlace } from './source-place.ts'

t.test('a place in a bundle is named by its source', async t => {
  const folder = t.testdir({ 'create.ts': '\n\nexport function fail(): never {\n  throw new Error()\n}\n' })
  const outfile = join(folder, 'chunk-7.js')
  buildSync({
    entryPoints: [join(folder, 'create.ts')],
    outfile,
    sourcemap: 'linked',
    format: 'esm',
    bundle: true,
    sourcesContent: false,
  })
  const { fail } = await import(pathToFileURL(outfile).href)
  const { stack = '' } = await Promise.resolve()
    .then(fail)
    .catch(error => error)
  // Node itself may have applied the map.
  const [, , line, column] = /(chunk-7\.js|create\.ts):(\d+):(\d+)/.exec(stack) ?? []
  const isMapped = stack.includes('create.ts')
  if (!isMapped) t.equal(sourcePlace(outfile, Number(line), Number(column)), 'create.ts:4')
  t.equal(sourcePlace(pathToFileURL(outfile).href, 3, 9), 'create.ts:4')
})

t.test('a file without a map, or with one that cannot be read, is named itself', t => {
  const folder = t.testdir({ 'a.js': '', 'b.js': '' })
  writeFileSync(join(folder, 'b.js.map'), '{')
  t.equal(sourcePlace(join(folder, 'a.js'), 7, 1), 'a.js:7')
  t.equal(sourcePlace(join(folder, 'b.js'), 7, 1), 'b.js:7')
  t.end()
})
