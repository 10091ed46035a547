// Only in CI: it starts a browser.
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { artefact, openBrowser, withoutChromium } from '../../verify/support/chromium.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
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
async function openPage(url: string) {
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
  await page.goto(`${url}/_dev`)
  return { page, failures, addresses }
}

async function signIn(page: Page, key: string) {
  await page.getByLabel('Management key').fill(key)
  await page.getByRole('button', { name: 'Watch this tenant' }).press('Enter')
  await page.getByText('live', { exact: true }).waitFor()
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(name) })

async function addKey(page: Page, key: string) {
  await tab(page, 'Keys').click()
  await page.getByLabel('Key of an application or session').fill(key)
  await page.getByRole('button', { name: 'Use this key, too' }).click()
}

const label = (key: string) => new RegExp(`…${key.slice(-4)}`)

/** Shows the tokens as a key sees them. */
async function showTokens(page: Page, key: string) {
  const form = page.locator('form', { hasText: 'Show tokens' })
  const option = form.locator('option', { hasText: label(key) })
  await form.getByLabel('As seen by').selectOption(String(await option.getAttribute('value')))
  await form.getByRole('button').click()
}

t.test('the page of a development server', withoutChromium, async t => {
  const vault = openReactors(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const { page, failures, addresses } = await openPage(url)
  await signIn(page, tenant.managementKey)

  await t.test('shows requests as they come, with the explanation of a refusal', async t => {
    await tenant.asPublic('GET', '/tokens', undefined, { 'SVC-TRACE-ID': hostile })
    const line = page.locator('summary', { hasText: 'tokens.list' })
    await line.waitFor()
    t.match(await line.textContent(), /403.*permission_denied/)
    t.ok((await line.textContent())?.includes(hostile), 'the trace id as text')
    await line.focus()
    await page.keyboard.press('Enter')
    const explanation = page.locator('details[open] .explanation')
    await explanation.waitFor()
    t.match(await explanation.textContent(), /permissiontoken:read.*token:read is not held directly/)
  })

  await t.test('shows webhooks and what formulas print, as text', async t => {
    const code = `module.exports = async ({ args }) => { console.error(args.text); return { raw: args } }`
    const react = await reactorOn(tenant, code)
    t.equal((await react({ args: { text: hostile }, callback_url: vault.dev.inbox.url })).status, 202)
    await tab(page, 'Webhooks').click()
    await page.locator('summary').first().click()
    const body = page.locator('details[open] pre')
    await body.waitFor()
    t.ok((await body.textContent())?.includes(JSON.stringify(hostile)))
    await tab(page, 'Consoles').click()
    await page.locator('.lines .error pre', { hasText: hostile }).waitFor()
    await page.getByLabel('Id of a reactor').fill(react.id)
    await page.getByRole('button', { name: 'Show its last lines' }).click()
    t.ok((await page.getByLabel('Before').textContent())?.includes(hostile))
  })

  await t.test('shows tokens as the chosen key sees them', async t => {
    const data = { note: hostile }
    const made = await tenant.send('POST', '/tokens', {
      id: 'shown',
      type: 'token',
      data,
      mask: { note: 'masked' },
    })
    t.equal(made.status, 201)
    const masking = await tenant.application({
      rules: [
        { description: 'm', priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] },
      ],
    })
    for (const key of [tenant.privateKey, masking.key, tenant.publicKey]) await addKey(page, key)
    await tab(page, 'Tokens').click()
    const token = page.locator('summary', { hasText: 'shown' })
    await showTokens(page, tenant.privateKey)
    await token.click()
    t.ok((await page.locator('details pre').textContent())?.includes(JSON.stringify(hostile)))
    await showTokens(page, masking.key)
    await token.click()
    const masked = (await page.locator('details pre').textContent()) ?? ''
    t.match(masked, /"note": "masked"/)
    t.notOk((await page.content()).includes('window.hacked'), 'the value is nowhere in the page')
    await showTokens(page, tenant.publicKey)
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), /403.*Explanation.*token:read is not held directly/s)
    t.equal(await token.count(), 0)
  })

  await t.test('orders faults and moves time, from a keyboard alone', async t => {
    await page.getByRole('heading', { name: 'Development server' }).click()
    await page.keyboard.press('6')
    const faults = tab(page, 'Faults')
    t.equal(await faults.getAttribute('aria-selected'), 'true')
    await page.getByLabel('Status').focus()
    await page.keyboard.type('503')
    await page.keyboard.press('Enter')
    await page.getByText('left').first().waitFor()
    t.match(await tenant.send('GET', '/tokens'), { status: 503 })
    t.equal((await tenant.send('GET', '/tokens')).status, 200)
    await faults.focus()
    await page.keyboard.press('ArrowRight')
    t.equal(await tab(page, 'Time').getAttribute('aria-selected'), 'true')
    const now = page.locator('#now', { hasText: 'Z' })
    const before = Date.parse((await now.textContent()) ?? '')
    await page.getByRole('button', { name: 'Move 1 day' }).focus()
    await page.keyboard.press('Space')
    await page.waitForFunction(
      at => Date.parse(document.querySelector('#now')?.textContent ?? '') > at,
      before + 86_000_000,
    )
    const { json } = await tenant.asManagement('POST', '/_dev/tenant/clock', {})
    t.ok(Date.parse(json.now) > before + 86_000_000)
  })

  await t.test('makes, authorizes and ends sessions', async t => {
    await tab(page, 'Sessions').click()
    await page.getByRole('button', { name: 'Create a session' }).click()
    await page.locator('summary', { hasText: 'not authorized' }).waitFor()
    await page.getByRole('button', { name: 'Authorize it' }).click()
    const session = page.locator('summary', { hasText: /[^t] authorized/ })
    await session.waitFor()
    await session.click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('There is no session.').waitFor()
    t.same((await tenant.asManagement('GET', '/_dev/sessions')).json.data, [])
  })

  await t.test('runs nothing that callers sent, and puts keys nowhere but in headers', async t => {
    t.equal(await page.evaluate('window.hacked'), undefined)
    t.same(failures, [])
    const keys = [tenant.managementKey, tenant.privateKey, tenant.publicKey]
    t.notOk(addresses.some(address => keys.some(key => address.includes(key))))
    t.notOk(keys.some(key => page.url().includes(key)))
    t.same(await page.evaluate(() => [localStorage.length, document.cookie]), [0, ''])
    await page.screenshot({ path: artefact('dev-page.png') })
    await page.getByRole('button', { name: 'Forget all keys' }).click()
    await page.getByLabel('Management key').waitFor()
    t.equal(await page.evaluate(() => sessionStorage.length), 0)
  })

  await t.test('says that a key is wrong', async t => {
    await page.getByLabel('Management key').fill(tenant.privateKey)
    await page.getByRole('button', { name: 'Watch this tenant' }).click()
    t.match(await page.getByRole('alert').textContent(), /403/)
  })
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
