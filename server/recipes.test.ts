// Only in CI: it starts the tests that the recipes show.
// In a process of its own: it starts the tests that the recipes show.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { passesAsShown } from './verify/support/shown-tests.ts'

/** Runs the test of each recipe of the guide, as a reader would. */
const guide = new URL('guide/', import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const recipes = readdirSync(guide).filter(name => name.startsWith('recipe-'))
const shownIn = (name: string) =>
  /^```ts\n(.*?)^```$/ms.exec(readFileSync(new URL(name, guide), 'utf8'))?.[1] ?? ''

t.ok(recipes.length >= 6)
for (const name of recipes) t.test(name, t => passesAsShown(t, shownIn(name)))

t.test('the recipes compile', async t => {
  const folder = t.testdir()
  const files = recipes.map(name => join(folder, name.replace('.md', '.ts')))
  for (const [at, name] of recipes.entries()) writeFileSync(files[at] ?? '', shownIn(name))
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--singleThreaded',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ]
  const run = promisify(execFile)(process.execPath, [tsc, ...options, '--types', 'node', ...files], {
    cwd: root,
  })
  t.equal(await run.then(() => '').catch(({ stdout }) => stdout), '')
})
