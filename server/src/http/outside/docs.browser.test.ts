// Only in CI: it starts a browser.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { artefact, openBrowser, withoutChromium } from '../../../verify/support/chromium.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'

const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const operations = Object.values<object>(contract.paths).flatMap(item =>
  Object.values(item).flatMap(operation => operation?.operationId ?? []),
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
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) failures.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      failures.push(request.url())
  })
  await page.goto(url + path)
  await page
    .getByText(String(operations.at(-1)))
    .first()
    .waitFor({ state: 'attached' })
  return { page, failures }
}

const operation = (page: Page, id: string) => page.locator(`article[id="${id}"]`)

t.test('/docs shows every operation, and loads nothing from other hosts', withoutChromium, async t => {
  const { url } = await openVault(t, { dev: false }).listen()
  const { page, failures } = await openDocs(url)
  const text = (await page.textContent('body')) ?? ''
  t.ok(operations.length > 20)
  t.same(
    operations.filter(id => !text.includes(id)),
    [],
    'operations that are not shown',
  )
  const samples = await page.locator('figcaption', { hasText: '@surrogate/sdk' }).count()
  t.ok(samples >= operations.length, `${samples} samples in the SDK`)
  t.equal(await page.locator('figcaption', { hasText: ': curl' }).count(), samples)
  t.equal(await page.locator('form').count(), 0, 'nothing is sent from a server in use')
  t.match(text, /On a development server \(--dev\) you can send this request from here/)
  t.same(failures, [])
  await page.screenshot({ path: artefact('docs.png') })
})

t.test('the search finds words anywhere in the contract and the guide', withoutChromium, async t => {
  const { url } = await openVault(t).listen()
  const { page, failures } = await openDocs(url, '/')
  t.equal(page.url(), `${url}/docs`, 'a browser is led here')
  const found = async (words: string) => {
    await page.getByRole('searchbox').fill(words)
    return page.locator('article:visible').evaluateAll(all => all.map(({ id }) => id))
  }
  t.ok((await found('')).length > operations.length)
  t.same(await found('alias_card luhn'), ['guide.expressions.filters-for-a-vault'])
  t.same(await found('standard webhooks whsec'), ['guide.webhooks.guarantees'])
  t.ok((await found('faults skip drop')).includes('guide.dev.faults'))
  t.ok((await found('one microsecond UTC')).includes('guide.search.the-language'))
  t.ok((await found('callback_url')).includes('reactors.react'), 'a member of a body')
  t.same(await found('no such words <b>'), [])
  t.match(await page.locator('#found').textContent(), /^0 of \d+ sections$/)
  await page.keyboard.press('Escape')
  const table = page.locator('article[id="guide.expressions.filters-for-a-vault"] table')
  t.match(await table.textContent(), /last4\{\{ '36227206271667' \| last4 \}\}1667/)
  t.same(failures, [])
})

t.test('a request can be sent from the page of a development server', withoutChromium, async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  const { page, failures } = await openDocs(url)
  const hostile = '<img src=x onerror="window.hacked=1">'

  const create = operation(page, 'tokens.create')
  await create.getByText('Send this request').first().click()
  await create.getByLabel('SVC-API-KEY').fill(tenant.privateKey)
  await create.getByLabel('Body').fill(JSON.stringify({ id: 'sent', type: 'token', data: hostile }))
  await create.getByRole('button', { name: 'Send', exact: true }).press('Enter')
  const created = create.getByRole('status')
  await created.locator('.status', { hasText: '201' }).waitFor()
  t.equal((await tenant.send('GET', '/tokens/sent')).json.data, hostile)

  const get = operation(page, 'tokens.get')
  await get.getByText('Send this request').first().click()
  t.equal(await get.getByLabel('SVC-API-KEY').inputValue(), tenant.privateKey, 'the key is remembered')
  const send = async (id: string) => {
    await get.getByLabel('id', { exact: true }).fill(id)
    await get.getByRole('button', { name: 'Send', exact: true }).click()
    return get.getByRole('status')
  }
  const shown = await send('sent')
  await shown.locator('.status', { hasText: '200' }).waitFor()
  t.ok((await shown.textContent())?.includes(JSON.stringify(hostile)), 'as text')
  const bad = await send('../applications?x')
  await bad.locator('.status', { hasText: '400' }).waitFor()
  const missing = await send('nothing')
  await missing.locator('.status', { hasText: '404' }).waitFor()
  t.match(await missing.textContent(), /explanation/, 'with the reasons of the refusal')

  const list = operation(page, 'tokens.list')
  await list.getByText('Send this request').first().click()
  await list.getByLabel('size (optional)').fill('1')
  await list.getByRole('button', { name: 'Send', exact: true }).click()
  await list.getByRole('status').locator('.status', { hasText: '200' }).waitFor()
  t.match(await list.getByRole('status').textContent(), /"page_size": 1/)

  t.equal(await page.evaluate('window.hacked'), undefined)
  t.equal(new URL(page.url()).search, '')
  t.same(failures, [])
})
