// Runs the tests that the README shows.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { openVault } from '../server/testing/vault.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8')
const [, section = ''] = /^## Testing your application$(.*?)^## /ms.exec(readme) ?? []
const shown = [...section.matchAll(/^### (.+?)$.*?```ts\n(.*?)^```$/gms)].map(
  ([, title = '', code = '']) => [title, code] as const,
)

t.same(
  shown.map(([title]) => title),
  ['In process', 'With msw', 'By command'],
)

for (const [title, code] of shown) {
  t.test(title, async t => {
    // In the place of the server that the command starts.
    const { url } = await openVault(t).listen()
    // Inside the repository, where the packages are found by their names.
    const file = join(t.testdir(), 'shown.test.ts')
    writeFileSync(file, code)
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...environment } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import=tsx', '--test', '--test-reporter=tap', file],
      { cwd: root, env: { ...environment, SURROGATE_URL: url } },
    )
    t.match(stdout, /^# pass 1$/m, stdout)
    t.match(stdout, /^# fail 0$/m)
  })
}
