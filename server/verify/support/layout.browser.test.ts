// Only in CI: it starts a browser.
import t from 'tap'
import type { Vault } from '../../src/vault.ts'
import { openBrowser, withoutChromium } from './chromium.ts'
import { flaws, looks, openLook } from './layout.ts'
import { openReactors, reactorOn } from './reactors.ts'
import { openTenant, openVault, type TestTenant } from './vault.ts'

t.test('/docs fits into every screen, and is open to everybody', withoutChromium, async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const browser = await openBrowser(t)
  for (const look of looks) {
    const page = await openLook(browser, look)
    await page.goto(`${url}/docs`)
    await page.locator('#reference').getByText('Create a token').first().waitFor({ state: 'attached' })
    const start = page.locator('#quickstart')
    await start.getByRole('button', { name: 'Make keys for me' }).click()
    await start.getByText('are sent with the key of your tenant').waitFor()
    await start.getByRole('button', { name: 'Send' }).first().click()
    await start.locator('li').first().getByRole('status').waitFor()
    const own = { columns: '#quickstart p, #quickstart li', within: '#quickstart' }
    t.same(await flaws(page, 'docs', look, own), [])
    await page.context().close()
  }
})

/** Fills every view with rows, some of them long. */
async function furnish(vault: Vault, tenant: TestTenant) {
  const long = 'long'.repeat(40)
  const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
  await tenant.send('POST', '/tokens', { type: 'card', data: card, metadata: { order: '2026-1177' } })
  await tenant.send('POST', '/tokens', { id: 'a-token-with-a-name', type: 'token', data: { text: long } })
  await tenant.send('POST', '/tokens', { type: 'token', data: 1, containers: ['/customers/eu/', '/orders/'] })
  await tenant.asPublic('POST', '/tokens', { type: 'token', data: 'x', idd: 1 })
  await tenant.asPublic('GET', '/tokens', undefined, { 'SVC-TRACE-ID': long })
  await tenant.send('GET', `/tokens/${long}`)
  const code = `module.exports = async ({ args }) => { console.log('charging', args.text); console.warn('retry'); return { raw: args } }`
  const react = await reactorOn(tenant, code, { reactor: { name: 'Card check' } })
  await vault.dev.forTenant(tenant).inbox.respond(503)
  await react({ args: { text: long }, callback_url: `${vault.dev.inbox.url}payments?order=${long}` })
  await tenant.asManagement('POST', '/_dev/settled')
  await tenant.asManagement('POST', '/_dev/tenant/clock', { advance_ms: 3_600_000 })
  const { nonce } = (await tenant.asPublic('POST', '/sessions')).json
  await tenant.send('POST', '/sessions/authorize', { nonce, permissions: ['token:create', 'token:read'] })
  await vault.dev.forTenant(tenant).faults.next({ on: 'delivery', status: 500, times: 3 })
}

const views = ['Requests', 'Webhooks', 'Tokens', 'Consoles', 'Sessions', 'Faults', 'Time', 'Keys']

t.test('/_dev fits into every screen in every view, and is open to everybody', withoutChromium, async t => {
  const vault = openReactors(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  await furnish(vault, tenant)
  const browser = await openBrowser(t)
  for (const look of looks) {
    const page = await openLook(browser, look)
    await page.goto(`${url}/_dev`)
    t.same(await flaws(page, 'dev-sign-in', look, { columns: '.card' }), [])
    await page.goto(`${url}/_dev#key=${tenant.managementKey}`)
    await page.getByText('Live', { exact: true }).waitFor()
    for (const view of views) {
      await page.getByRole('tab', { name: view }).click()
      await page.getByRole('tabpanel', { name: view }).waitFor()
      const rows = page.locator('.toggle')
      if (['Requests', 'Webhooks', 'Tokens', 'Sessions'].includes(view)) {
        const row =
          view === 'Requests' ? page.locator('tr', { hasText: '403' }).locator('.toggle') : rows.first()
        await row.click()
        await page.locator('.detail').waitFor()
      }
      t.same(await flaws(page, `dev-${view.toLowerCase()}`, look, { columns: '.card, .detail' }), [])
    }
    const tabs = await page
      .getByRole('tab')
      .evaluateAll(all => all.map(one => one.getBoundingClientRect().top))
    t.equal(new Set(tabs).size, 1, `${look.width} px: one line of tabs`)
    await page.context().close()
  }
})
