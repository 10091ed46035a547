import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import t from 'tap'
import { createLog, describeError, sourcePlace } from './log.ts'

t.test('each line of the log is one JSON object', async t => {
  const lines: string[] = []
  createLog(line => lines.push(line)).warn('something', { count: 2 })
  t.match(JSON.parse(lines[0] ?? ''), { level: 'warn', event: 'something', count: 2 })
  t.equal(lines[0]?.at(-1), '\n')
})

t.test('an error is described by its stack, never by its message', async t => {
  const described = JSON.stringify(describeError(new TypeError('cannot read 4242424242424242')))
  t.notMatch(described, /4242/)
  t.match(described, /TypeError/)
  t.match(described, /log\.test\.ts:\d+/)
  t.notMatch(described, /\/server\//, 'files by name, not by path')
})

t.test('the lines of a long message are not taken for stack frames', async t => {
  const lines = 'at 4242 (4242.ts:1)\n    at 4242424242424242 (/a/4242.js:12:3)\n'
  for (const message of [lines, `x\n${lines}`, 'at '.repeat(100_000), `${' '.repeat(100_000)}at`]) {
    const described = JSON.stringify(describeError(new Error(message)))
    t.notMatch(described, /4242/)
    t.match(described, /log\.test\.ts:\d+/)
  }
})

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
