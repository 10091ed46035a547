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
  const samples = await page.locator('figcaption select').count()
  t.ok(samples >= operations.length + 3, `${samples} samples`)
  t.equal(await page.locator('form').count(), 0, 'nothing is sent from a server in use')
  t.match(text, /On a development server \(--dev\) you can send this request from here/)
  const size = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .reduce((sum, one) => sum + (one as PerformanceResourceTiming).decodedBodySize, 0),
  )
  t.ok(size < 400_000, `${size} bytes are loaded at first`)
  t.same(failures, [])
  await page.screenshot({ path: artefact('docs.png') })
})

t.test('samples are in the language that was chosen, all at once', withoutChromium, async t => {
  const { url } = await openVault(t, { dev: false, headerPrefix: 'ACME' }).listen()
  const { page, failures } = await openDocs(url)
  const sampleOf = (id: string) => operation(page, id).locator('.samples pre').first()
  t.match(await sampleOf('tokens.create').textContent(), /^curl -X POST ".*ACME-API-KEY: \$KEY/s)
  t.equal(
    await sampleOf('tokens.create')
      .locator('.constant')
      .allTextContents()
      .then(all => all.join()),
    '12,2030',
  )
  const choose = async (label: string) =>
    operation(page, 'tokens.get')
      .getByLabel(/^Language/)
      .selectOption({ label })
  await choose('TypeScript')
  const client = sampleOf('tokens.create')
  await client.getByText('surrogate.tokens.create').waitFor()
  t.equal(
    await client
      .locator('.constant')
      .allTextContents()
      .then(all => all.join()),
    '12,2030',
    'no digits of strings',
  )
  for (const [label, pattern] of Object.entries({
    Python: /requests\.post\(/,
    Go: /http\.NewRequest\("POST"/,
    Java: /HttpRequest\.newBuilder\(/,
    PHP: /curl_init\(/,
    Ruby: /Net::HTTP::Post/,
    'C#': /HttpMethod\.Post/,
  })) {
    await choose(label)
    await sampleOf('tokens.create').getByText(pattern).waitFor()
    const text = (await sampleOf('tokens.create').textContent()) ?? ''
    t.ok(
      text.includes(`${url}/tokens`) && text.includes('ACME-API-KEY') && !text.includes('KEY-HEADER'),
      label,
    )
  }
  await page.reload()
  await sampleOf('tokens.create').getByText('HttpMethod.Post').waitFor()
  t.same(failures, [])
})

t.test('the description of a body shows the variant of the sample', withoutChromium, async t => {
  const { url } = await openVault(t).listen()
  const { page } = await openDocs(url)
  const create = operation(page, 'tokens.create')
  const chosen = () => create.locator('.variants [aria-selected=true]').first().textContent()
  t.equal(await chosen(), 'card')
  await create.locator('.samples').getByRole('tab', { name: 'bank' }).click()
  t.equal(await chosen(), 'bank')
})

t.test('the first calls need one click for keys and one each', withoutChromium, async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const { page, failures } = await openDocs(url)
  const start = page.locator('#quickstart')
  t.equal(await start.evaluate(one => one.querySelectorAll('.steps > li').length), 3)
  t.match(await start.textContent(), /Needs the key of a [a-z ]+ application: set one/)
  await start.getByRole('button', { name: 'Make keys for me' }).click()
  await start.getByText('private …').first().waitFor()
  const send = async (step: number, status: string) => {
    const item = start.locator('.steps > li').nth(step)
    await item.getByRole('button', { name: 'Send', exact: true }).click()
    await item.getByRole('status').locator('.status', { hasText: status }).waitFor()
    return (await item.getByRole('status').textContent()) ?? ''
  }
  const [, id = ''] = /"id": "([^"]+)"/.exec(await send(0, '201')) ?? []
  t.match(await send(1, '200'), id, 'the id is filled in')
  await send(2, '200')
  t.equal(await page.getByLabel('API key').count(), 1, 'one place to set a key')
  t.same(failures, [])
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
  await page.getByText('Nothing found').waitFor()
  t.match(await page.locator('main').textContent(), 'no such words <b>')
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))
  t.same(await marked(), [])
  await found('luhn')
  t.ok((await marked()).length > 0)
  t.same(new Set((await marked()).map(text => text.toLowerCase())), new Set(['luhn']))
  await page.getByRole('searchbox').focus()
  await page.keyboard.press('Escape')
  t.same(await marked(), [])
  t.notOk(await page.getByText('Nothing found').isVisible())
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
  await create.getByText('Needs the key of').waitFor()
  await page.getByLabel('API key').fill(tenant.privateKey)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await create.getByLabel('Body').fill(JSON.stringify({ id: 'sent', type: 'token', data: hostile }))
  await create.getByRole('button', { name: 'Send', exact: true }).press('Enter')
  const created = create.getByRole('status')
  await created.locator('.status', { hasText: '201' }).waitFor()
  t.equal((await tenant.send('GET', '/tokens/sent')).json.data, hostile)

  const get = operation(page, 'tokens.get')
  await get.getByText('Send this request').first().click()
  await get.getByText(`with the key private …${tenant.privateKey.slice(-4)}`).waitFor()
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
