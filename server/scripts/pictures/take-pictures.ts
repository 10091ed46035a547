import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../verify/support/chromium.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

/** Takes the pictures of the README from a server that listens on this port, light and dark. */
export async function takePictures(
  t: { teardown(task: () => unknown): void },
  folder: string,
  port: number,
): Promise<void> {
  const vault = openVault(t)
  const { url } = await vault.listen({ port })
  const tenant = await openTenant(vault)
  const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }
  const order = { order: '1001' }
  const { json } = await tenant.asPublic('POST', '/tokens', { type: 'card', data: card, metadata: order })
  await tenant.send('GET', `/tokens/${json.id}`)
  await tenant.send('PATCH', `/tokens/${json.id}`, { metadata: { order: '1002' } })
  await tenant.send('POST', '/tokens/search', { query: 'metadata.order:1002' })
  await tenant.asPublic('GET', `/tokens/${json.id}`)

  const showRefusal = async (page: Page) => {
    await page.goto(`${url}/_dev#key=${tenant.managementKey}`)
    await page.locator('tr.row', { hasText: 'permission_denied' }).first().click()
    await page.locator('.detail .explanation').waitFor()
  }
  const showDocs = async (page: Page) => {
    await page.goto(`${url}/docs`)
    const start = page.locator('#quickstart')
    await start.getByRole('button', { name: 'Make keys for me' }).click()
    await start.locator('li').first().getByRole('button', { name: 'Send' }).click()
    await start.getByText('"id":').waitFor()
  }
  const browser = await openBrowser(t)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, show] of [
      ['dev', showRefusal],
      ['docs', showDocs],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 750 } })
      await show(page)
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' })
      await page.close()
    }
  }
}
