// Only in CI: it starts a browser.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { artefact, openBrowser, withoutChromium } from '../../../verify/support/chromium.ts'
import { openVault } from '../../../verify/support/vault.ts'

const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const summaries = Object.values<object>(contract.paths).flatMap(item =>
  Object.values(item).flatMap(operation => operation?.summary ?? []),
)

let opened: Promise<Browser> | undefined

/** One browser for all tests. */
function browser(): Promise<Browser> {
  opened ??= openBrowser(t)
  return opened
}

/** Opens the page, and collects what goes wrong in it. */
async function openDocs(url: string, path = '/docs') {
  const page = await (await browser()).newPage()
  const failures: string[] = []
  page.on('pageerror', error => failures.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' || /validation error/.test(message.text())) failures.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      failures.push(request.url())
  })
  await page.goto(url + path)
  await page
    .locator('#reference')
    .getByText(String(summaries.at(-1)))
    .first()
    .waitFor({ state: 'attached' })
  return { page, failures }
}

/** Opens the form that sends a request to list something, and sends it. */
async function sendFromForm(page: Page, summary: string, path: string) {
  // Operations are drawn when they are near.
  await page.getByText(summary, { exact: true }).first().click()
  await page.getByRole('button', { name: `Test Request (get ${path})` }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('button', { name: /^Send get request/ }).click()
  await form.getByText('200 OK').waitFor()
  return form
}

t.test('/docs shows every operation, and loads nothing from other hosts', withoutChromium, async t => {
  const { url } = await openVault(t, { dev: false }).listen()
  const { page, failures } = await openDocs(url, '/')
  t.equal(page.url(), `${url}/docs`, 'a browser is led here')
  const cut = await page
    .locator('#quickstart pre:visible')
    .evaluateAll(all => [all.length, all.filter(one => one.scrollWidth > one.clientWidth).length])
  t.ok(Number(cut[0]) > 2)
  t.equal(cut[1], 0, 'no line of the first calls is cut off')
  const text = (await page.locator('#reference').textContent()) ?? ''
  t.ok(summaries.length > 20)
  const left = summaries.filter(summary => !text.includes(summary))
  t.same(left, [], 'operations that are not shown')
  t.match(await page.locator('#quickstart').textContent(), /Samples take the API key from \$KEY/)
  t.equal(await page.getByRole('button', { name: /Make keys|^Send|Test Request/ }).count(), 0)
  t.same(failures, [])
  await page.screenshot({ path: artefact('docs.png') })
})

t.test('the first calls need one click for keys and one each', withoutChromium, async t => {
  const { url } = await openVault(t, { headerPrefix: 'ACME' }).listen()
  const { page, failures } = await openDocs(url)
  const start = page.locator('#quickstart')
  await start.getByRole('button', { name: 'Make keys for me' }).click()
  await start.getByText('are sent with the key of your tenant').waitFor()
  const send = async (step: number) => {
    const item = start.locator('li').nth(step)
    await item.getByRole('button', { name: 'Send' }).click()
    await item.getByRole('status').waitFor()
    return (await item.getByRole('status').textContent()) ?? ''
  }
  const stored = await send(0)
  t.match(stored, /^201/)
  const [, id = ''] = /"id": "([^"]+)"/.exec(stored) ?? []
  t.match(
    await start.locator('li').nth(1).textContent(),
    new RegExp(`/tokens/${id}.*ACME-API-KEY: key_prv_`, 's'),
  )
  t.match(await send(1), /^200 /)
  t.match(await send(2), /"total_items": 1/)
  // The key of an operation is the one of those that were made that may do it.
  await sendFromForm(page, 'List applications', '/applications')
  await page.keyboard.press('Escape')
  const hostile = '<img src=x onerror="window.hacked=1">'
  await page.evaluate(async data => {
    const { keys } = JSON.parse(sessionStorage.getItem('surrogate-keys') ?? '')
    const headers = { 'ACME-API-KEY': keys[1].key, 'Content-Type': 'application/json' }
    await fetch('/tokens', { method: 'POST', headers, body: JSON.stringify({ type: 'token', data }) })
  }, hostile)
  const form = await sendFromForm(page, 'List tokens', '/tokens')
  await form.getByText('window.hacked').first().waitFor()
  t.equal(await page.evaluate('window.hacked'), undefined, 'responses are shown as text')
  t.same(failures, [])
})

t.test('samples have several languages, the search works, and it can be dark', withoutChromium, async t => {
  const { url } = await openVault(t).listen()
  const { page, failures } = await openDocs(url)
  const libraries = page.locator('#reference').getByText(/^Shell.*Node\.js.*Python/)
  await libraries.first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Reference Search' }).locator('input').fill('detokenize')
  await page.getByRole('option', { name: /Put data back in the place of tokens/ }).waitFor()
  await page.keyboard.press('Escape')
  const background = () => page.locator('#quickstart').evaluate(one => getComputedStyle(one).backgroundColor)
  const light = await background()
  await page.getByRole('button', { name: /dark mode/i }).click()
  t.not(await background(), light, 'the first calls, too')
  t.same(failures, [])
})
