// In a process of its own: it takes long.
// Only in CI: it starts a browser.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { VaultOptions } from '../../../server/src/options/vault-options.ts'
import { artefact, openBrowser, withoutChromium } from '../../../server/verify/support/chromium.ts'
import { openTenant, openVault, type TestTenant } from '../../../server/verify/support/vault.ts'

const number = '4242424242424242'
const masked = 'XXXXXXXXXXXX4242'

/** Starts the backend as its README says. Returns its address. */
async function startBackend(t: Test, tenant: TestTenant, url: string): Promise<string> {
  const program = fileURLToPath(new URL('backend.ts', import.meta.url))
  const backend = spawn(process.execPath, ['--import=tsx', program], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: {
      ...process.env,
      PORT: '0',
      SURROGATE_URL: url,
      SURROGATE_PUBLIC_KEY: tenant.publicKey,
      SURROGATE_PRIVATE_KEY: tenant.privateKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(async () => {
    backend.kill()
    if (backend.exitCode === null) await once(backend, 'exit')
  })
  for await (const line of createInterface({ input: backend.stdout })) {
    const [, address] = /^open (http:\S+)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('the backend left without saying where it is')
}

/** Records everything that the page sends, receives and shows. */
function listenTo(page: Page) {
  const heard: string[] = []
  const failures: string[] = []
  const pending: Promise<unknown>[] = []
  const statuses: [path: string, status: number][] = []
  page.on('request', request => {
    heard.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? '')
  })
  page.on('response', response => {
    statuses.push([new URL(response.url()).pathname, response.status()])
    heard.push(JSON.stringify(response.headers()))
    pending.push(
      response.text().then(
        text => heard.push(text),
        () => {},
      ),
    )
  })
  page.on('console', message => heard.push(message.text()))
  page.on('pageerror', error => failures.push(String(error)))
  page.on('requestfailed', request => failures.push(`${request.method()} ${request.url()}`))
  const all = async () => {
    await Promise.all(pending)
    return heard.join('\n')
  }
  return { all, failures, statuses }
}

t.test('a page stores a card and shows it, until its session ends', withoutChromium, async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  const shop = await startBackend(t, tenant, url)
  const browser = await openBrowser(t)
  const page = await browser.newPage({ viewport: { width: 640, height: 720 } })
  const { all, failures, statuses } = listenTo(page)
  const says = (selector: string, text: string) =>
    page.locator(selector).filter({ hasText: text }).waitFor({ timeout: 20_000 })

  await page.goto(shop)
  await page.locator('body[data-ready]').waitFor()
  await page.fill('[name=number]', '4242 4242 4242 4242')
  await page.fill('[name=month]', '12')
  await page.fill('[name=year]', '2039')
  await page.click('text=Store the card')
  await says('#message', 'The card is stored')
  t.equal(await page.textContent('#shown'), masked)
  const id = String(await page.textContent('#token'))
  const stored = (await tenant.send('GET', `/tokens/${id}`)).json
  t.same(stored.data, { number, expiration_month: 12, expiration_year: 2039 }, 'it is in the vault')
  const { id: publicApplication } = (await tenant.asPublic('GET', '/applications/key')).json
  t.equal(stored.created_by, publicApplication)

  await page.click('#show')
  await says('#shown', number)
  await page.screenshot({ path: artefact('browser-example.png') })

  // The grant is for that token and no other.
  const other = (await tenant.send('POST', '/tokens', { type: 'token', data: 'of somebody else' })).json
  const heard = await all()
  const [sessionKey = ''] = /key_ses_[\w-]{64}/.exec(heard) ?? []
  const asSession = tenant.as(sessionKey)
  t.equal((await asSession('GET', `/tokens/${id}`)).status, 200, 'control: this is the key of the page')
  t.equal((await asSession('GET', `/tokens/${other.id}`)).status, 403)
  t.equal((await asSession('POST', '/tokens', { type: 'token', data: 1 })).status, 403)

  const everything = `${heard}\n${await page.content()}`
  t.ok(everything.includes(tenant.publicKey), 'control: what the page sends is heard')
  t.notOk(everything.includes(tenant.privateKey), 'the private key never reaches the page')
  t.same(failures, [])

  await vault.clock.advance(3 * 60_000)
  t.equal((await asSession('GET', `/tokens/${id}`)).status, 401)
  await page.click('#show')
  await says('#message', 'Your session has ended')
  t.same(statuses.at(-1), [`/tokens/${id}`, 401])
  t.notOk((await all()).includes(tenant.privateKey))
})

/** Opens the page of a shop with a vault of these options, and submits a card. */
async function submitted(t: Test, options: VaultOptions, card: string) {
  const vault = openVault(t, options)
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  const shop = await startBackend(t, tenant, url)
  const page = await (await openBrowser(t)).newPage()
  await page.goto(shop)
  await page.locator('body[data-ready]').waitFor()
  await page.fill('[name=number]', card)
  await page.fill('[name=month]', '12')
  await page.fill('[name=year]', '2039')
  await page.click('text=Store the card')
  const says = (text: string) =>
    page.locator('#message').filter({ hasText: text }).waitFor({ timeout: 20_000 })
  const stored = async () => (await tenant.send('GET', '/tokens')).json.pagination.total_items
  return { page, says, stored }
}

t.test('the page shows what is wrong with a card', withoutChromium, async t => {
  const { page, says, stored } = await submitted(t, {}, '4242424242424241')
  await says('data.number')
  t.equal(await page.isDisabled('#show'), true)
  t.equal(await stored(), 0)
})

t.test('a page of an origin that the server does not allow cannot use it', withoutChromium, async t => {
  const other = await submitted(t, { corsOrigins: ['https://shop.example.com'] }, number)
  await other.says('does not allow the origin http://127.0.0.1')
  t.equal(await other.stored(), 0)
  const any = await submitted(t, { corsOrigins: ['*'] }, number)
  await any.says('The card is stored')
  t.equal(await any.stored(), 1, 'control')
})
