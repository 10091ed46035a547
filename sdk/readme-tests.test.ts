// Runs the tests that the README shows.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { passesAsShown } from '../server/verify/support/shown-tests.ts'
import { openVault } from '../server/verify/support/vault.ts'

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
    await passesAsShown(t, code, { SURROGATE_URL: url })
  })
}
