// Only in CI: it starts a browser.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { withoutChromium } from '../../verify/support/chromium.ts'
import { takePictures } from './take-pictures.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

t.test('the pictures of each README are there, and can be taken again', withoutChromium, async t => {
  const folder = t.testdir({})
  await takePictures(t, folder, 0)
  const taken = readdirSync(folder).sort()
  t.same(readdirSync(join(root, 'pictures')).sort(), taken)
  for (const name of taken) t.ok(statSync(join(root, 'pictures', name)).size <= 150_000, name)
  for (const readme of ['README.md', 'server/README.md']) {
    const shown = [...readFileSync(join(root, readme), 'utf8').matchAll(/pictures\/([\w-]+\.png)"/g)]
    t.ok(shown.length > 1, readme)
    for (const [, name = ''] of shown) t.ok(taken.includes(name), `${readme} shows ${name}`)
  }
})
