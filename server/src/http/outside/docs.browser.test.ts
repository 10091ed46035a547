import { readFileSync } from 'node:fs'
import t from 'tap'
import { artefact, openBrowser, withoutChromium } from '../../../testing/chromium.ts'
import { openVault } from '../../../testing/vault.ts'

const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const operations = Object.values<object>(contract.paths).flatMap(item =>
  Object.values(item).flatMap(operation => operation?.operationId ?? []),
)

t.test('/docs shows every operation, and loads nothing from other hosts', withoutChromium, async t => {
  const { url } = await openVault(t, { dev: false }).listen()
  const page = await (await openBrowser(t)).newPage()
  const failures: string[] = []
  page.on('pageerror', error => failures.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`)) failures.push(request.url())
  })
  await page.goto(`${url}/docs`)
  await page
    .getByText(String(operations.at(-1)))
    .first()
    .waitFor({ state: 'attached' })
  const text = (await page.textContent('body')) ?? ''
  t.ok(operations.length > 20)
  t.same(
    operations.filter(id => !text.includes(id)),
    [],
    'operations that are not shown',
  )
  t.same(failures, [])
  await page.screenshot({ path: artefact('docs.png') })
})
