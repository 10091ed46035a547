// Only in CI: it starts a browser.
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, withoutChromium } from '../../verify/support/chromium.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTcpProxy } from '../../verify/support/tcp-proxy.ts'
import { openTenant, type TestTenant } from '../../verify/support/vault.ts'

/** Markup that runs in a page that inserts it as such. */
const hostile = '<img src=x onerror="window.hacked=1">"\'><script>window.hacked=1</script>'

let opened: Promise<Browser> | undefined

/** One browser for all tests. */
function browser(): Promise<Browser> {
  opened ??= openBrowser(t)
  return opened
}

/** Opens the page. Returns it with everything that went wrong in it, and each address that it asked for. */
async function openPage(url: string, fragment = '') {
  const page = await (await browser()).newPage()
  const failures: string[] = []
  const addresses: string[] = []
  page.on('pageerror', error => failures.push(String(error)))
  page.on('console', message => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) failures.push(message.text())
  })
  page.on('request', request => {
    addresses.push(request.url())
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      failures.push(request.url())
  })
  await page.goto(`${url}/_dev${fragment}`)
  return { page, failures, addresses }
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(name) })

const row = (page: Page, text: string | RegExp) => page.locator('tr.row', { hasText: text })

const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor()

/** Shows the tokens as a key sees them. */
async function showTokens(page: Page, key: string) {
  const form = page.locator('form', { hasText: 'As seen by' })
  await form.getByLabel('As seen by').selectOption(key)
  await form.getByRole('button').click()
}

t.test('the page of a development server', withoutChromium, async t => {
  const vault = openReactors(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const { page, failures, addresses } = await openPage(url, `#key=${tenant.managementKey}`)
  await live(page)

  await t.test('signs in by the address that the server prints, and removes the key from it', async t => {
    t.equal(page.url(), `${url}/_dev`)
    await page.reload()
    await live(page)
    t.equal(page.url(), `${url}/_dev`)
  })

  await t.test('makes a first request', async t => {
    await page.getByRole('button', { name: 'Store a card now' }).click()
    await row(page, 'tokens.create').waitFor()
    t.match(
      await row(page, 'tokens.create').textContent(),
      /POST\/tokenstokens\.createPrivate 201.*\d\.\d ms/,
    )
  })

  await t.test('shows requests as they come, with the explanation of a refusal', async t => {
    await tenant.asPublic('GET', '/tokens', undefined, { 'SVC-TRACE-ID': hostile })
    const line = row(page, 'tokens.list')
    await line.waitFor()
    t.match(await line.textContent(), /GET\/tokenstokens\.listPublic 403.*permission_denied/)
    t.notOk((await line.textContent())?.includes(hostile), 'the trace id is shown on opening')
    await line.getByRole('button').focus()
    await page.keyboard.press('Enter')
    const detail = page.locator('.detail')
    await detail.waitFor()
    t.ok((await detail.textContent())?.includes(hostile), 'the trace id as text')
    t.match(await detail.locator('.explanation').textContent(), /token:read is not held directly/)
    t.match(page.url(), /#requests\/\d+$/)
    await page.reload()
    await detail.waitFor()
  })

  await t.test('copies a request as a command', async t => {
    await row(page, 'tokens.create').click()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    t.match(command, `curl -X POST "${url}/tokens"`)
    t.match(command, `-H 'SVC-API-KEY: ${tenant.privateKey}'`)
    t.match(command, '"number": "string(16)"')
  })

  await t.test('filters, pauses and clears', async t => {
    const rows = page.locator('tr.row')
    await page.getByLabel('Filter requests').fill('public denied')
    await page.getByText('1 of').waitFor()
    t.equal(await rows.count(), 1)
    await page.getByLabel('Filter requests').fill('')
    await page.getByLabel('Status').selectOption('2xx')
    t.equal(await row(page, '403').count(), 0)
    await page.getByLabel('Status').selectOption('Any status')
    const before = await rows.count()
    await page.getByRole('button', { name: 'Pause' }).click()
    await tenant.send('GET', '/tokens/none')
    await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor()
    t.equal(await rows.count(), before)
    await page.getByRole('button', { name: 'Resume (1 new)' }).click()
    await row(page, '404').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Waiting for requests').waitFor()
    await tenant.send('GET', '/tokens/none')
    await row(page, '404').waitFor()
    t.equal(await rows.count(), 1)
  })

  await t.test('shows webhooks and what formulas printed, as text', async t => {
    const code = `module.exports = async ({ args }) => { console.error(args.text); return { raw: args } }`
    const react = await reactorOn(tenant, code, { reactor: { name: 'Card check' } })
    t.equal((await react({ args: { text: hostile }, callback_url: vault.dev.inbox.url })).status, 202)
    await tab(page, 'Webhooks').click()
    await page.locator('tr.row').first().click()
    const body = page.getByRole('region', { name: 'Body' })
    await body.waitFor()
    t.ok((await body.textContent())?.includes(JSON.stringify(hostile)))
    await tab(page, 'Consoles').click()
    const line = page.locator('.lines .error', { hasText: hostile })
    await line.waitFor()
    await page.reload()
    await line.waitFor()
    t.match(await line.textContent(), /Card check/, 'by the name of the reactor, and from before')
  })

  await t.test('shows tokens as the chosen key sees them, at first the private one', async t => {
    const data = { note: hostile }
    const token = { id: 'shown', type: 'token', data, mask: { note: 'masked' } }
    t.equal((await tenant.send('POST', '/tokens', token)).status, 201)
    const rules = [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }]
    const masking = await tenant.application({ rules })
    await page.reload()
    await tab(page, 'Tokens').click()
    const shown = row(page, 'shown')
    await shown.click()
    const json = page.getByRole('region', { name: 'Token shown' })
    t.ok((await json.textContent())?.includes(JSON.stringify(hostile)))
    await showTokens(page, masking.key)
    await json.getByText('masked').first().waitFor()
    t.match(await json.textContent(), /"note": "masked"/)
    t.notOk((await page.content()).includes('window.hacked'), 'the value is nowhere in the page')
    await showTokens(page, tenant.publicKey)
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), /403.*token:read is not held directly/s)
    t.equal(await shown.count(), 0)
    await page.getByLabel('Id or search').fill('shown')
    await showTokens(page, tenant.privateKey)
    await shown.waitFor()
    t.equal(await page.locator('tr.row').count(), 1)
  })

  await t.test('orders faults and moves time, from a keyboard alone', async t => {
    await page.getByRole('heading', { name: 'Surrogate' }).click()
    await page.keyboard.press('1')
    await page.getByRole('tabpanel', { name: 'Requests' }).waitFor()
    await page.keyboard.press('/')
    t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Filter requests')
    await page.getByRole('heading', { name: 'Surrogate' }).click()
    await page.keyboard.press('6')
    const faults = page.getByRole('tab', { name: 'Faults', selected: true })
    await faults.waitFor()
    t.match(page.url(), /#faults$/)
    await page.getByRole('button', { name: 'Too many requests' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'status 429, Retry-After 1 s' }).waitFor()
    t.equal((await tenant.send('GET', '/tokens')).status, 429)
    await page.getByRole('button', { name: 'Remove all' }).click()
    await page.getByText('Everything works').waitFor()
    t.equal((await tenant.send('GET', '/tokens')).status, 200)
    await page.getByText('Another fault').click()
    await page.getByLabel('Status').focus()
    await page.keyboard.type('503')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'status 503' }).waitFor()
    t.equal((await tenant.send('GET', '/tokens')).status, 503)
    await faults.focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Time', selected: true }).waitFor()
    const now = page.locator('#now', { hasText: 'Z' })
    const before = Date.parse((await now.textContent()) ?? '')
    await page.getByRole('button', { name: '+ 1 day' }).focus()
    await page.keyboard.press('Space')
    await page.waitForFunction(
      at => Date.parse(document.querySelector('#now')?.textContent ?? '') > at,
      before + 86_000_000,
    )
    const { json } = await tenant.asManagement('POST', '/_dev/tenant/clock', {})
    t.ok(Date.parse(json.now) > before + 86_000_000)
    await page.goBack()
    await faults.waitFor()
  })

  await t.test('makes, authorizes and ends sessions, with keys that may', async t => {
    await tab(page, 'Sessions').click()
    await page.getByRole('button', { name: 'Create' }).click()
    await row(page, 'not authorized').waitFor()
    await page.getByRole('button', { name: 'Authorize' }).click()
    const session = row(page, /[^t] ?authorized/)
    await session.filter({ hasNotText: 'not authorized' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('There is no session').waitFor()
    t.same((await tenant.asManagement('GET', '/_dev/sessions')).json.data, [])
  })

  await t.test('makes keys', async t => {
    await tab(page, 'Keys').click()
    await page.getByLabel('Name of the application').fill('Reader')
    await page.getByRole('button', { name: 'Make' }).click()
    await page.getByRole('row', { name: /Reader private/ }).waitFor()
    const { data } = (await tenant.asManagement('GET', '/_dev/applications')).json
    t.match(data[0], { name: 'Reader', type: 'private' })
  })

  await t.test('runs nothing that callers sent, and puts keys nowhere but in headers', async t => {
    t.equal(await page.evaluate('window.hacked'), undefined)
    t.same(failures, [])
    const keys = [tenant.managementKey, tenant.privateKey, tenant.publicKey]
    t.notOk(addresses.some(address => keys.some(key => address.includes(key))))
    t.notOk(keys.some(key => page.url().includes(key)))
    t.same(await page.evaluate(() => [localStorage.length, document.cookie]), [0, ''])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Management key').waitFor()
    t.equal(await page.evaluate(() => sessionStorage.length), 0)
  })

  await t.test('says what is wrong with a key, and what would be right', async t => {
    const enter = async (key: string) => {
      await page.getByLabel('Management key').fill(key)
      await page.getByRole('button', { name: 'Watch this tenant' }).press('Enter')
    }
    await enter(tenant.privateKey)
    await page.getByText('This is the key of a private application.').waitFor()
    t.match(await page.getByRole('alert').textContent(), /403.*takes the key of a management application/)
    await enter('key_mgt_of_nobody')
    await page.getByText('The server does not know this key.').waitFor()
    await enter(tenant.managementKey)
    await live(page)
  })
})

t.test('the page says that the server is away, and goes on when it is back', withoutChromium, async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const listening = await vault.listen()
  const proxy = await openTcpProxy(t, listening.port)
  const url = proxy.via(listening.url).replace(/\/$/, '')
  const { page } = await openPage(url, `#key=${tenant.managementKey}`)
  await live(page)
  await tenant.send('GET', '/tokens')
  await row(page, 'tokens.list').waitFor()
  proxy.down()
  await page.getByText('The server does not respond.').waitFor()
  t.ok(await row(page, 'tokens.list').isVisible(), 'what was shown stays')
  await tenant.send('GET', '/tokens/none')
  proxy.restore()
  await page.getByText('The server is back.').waitFor()
  await row(page, 'tokens.get').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  t.notOk(await page.getByText('The server is back.').isVisible())
})

t.test('the page asks for the token of a server that needs one', withoutChromium, async t => {
  const vault = openReactors(t, { devToken: 'a-token-of-16-or-more' })
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  const { page } = await openPage(url, `#key=${tenant.managementKey}`)
  await page.getByText('This server was started with --dev-token').waitFor()
  await page.getByLabel('Token of --dev-token').first().fill('a-token-of-16-or-more')
  await page.getByRole('button', { name: 'Watch this tenant' }).click()
  await live(page)
})

t.test('pages of others neither read nor frame it', withoutChromium, async t => {
  const vault = openReactors(t)
  const tenant: TestTenant = await openTenant(vault)
  const { url } = await vault.listen()
  const other = await openReactors(t).listen()
  const page = await (await browser()).newPage()
  await page.goto(`${other.url}/livez`)
  const status = await page.evaluate(
    async ([address, key]) => {
      const headers = { 'SVC-API-KEY': key ?? '', 'Content-Type': 'application/json' }
      return (await fetch(`${address}/_dev/tenants`, { method: 'POST', headers, body: '{}' })).status
    },
    [url, tenant.managementKey],
  )
  t.equal(status, 403)
  const own = await page.evaluate(async () => (await fetch('/_dev/tenants', { method: 'POST' })).status)
  t.equal(own, 201, 'its own page may')

  const frame = async (address: string) => {
    await page.evaluate(
      address =>
        new Promise(resolve => {
          const frame = document.createElement('iframe')
          frame.onload = resolve
          frame.src = address
          document.body.replaceChildren(frame)
        }),
      address,
    )
    return page.frames().at(-1)?.url()
  }
  t.equal(await frame(`${url}/livez`), `${url}/livez`)
  for (const path of ['/_dev', '/docs']) t.match(await frame(url + path), /^chrome-error:/, path)
})
