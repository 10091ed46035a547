// Only in CI: it starts a browser.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { openFirefox, withoutFirefox } from '../support/firefox.ts'
import { openTenant, openVault } from '../support/vault.ts'

const contract = JSON.parse(
  readFileSync(new URL('../../src/generated/openapi.json', import.meta.url), 'utf8'),
)
const summaries = Object.values<object>(contract.paths).flatMap(item =>
  Object.values(item).flatMap(operation => operation?.summary ?? []),
)

const text = (selector: string) => `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`
const click = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).click()`

t.test('both pages work in Firefox', withoutFirefox, async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const open = await openFirefox(t, url)

  await t.test('the page of a development server shows requests, and why one was refused', async t => {
    const page = await open(`/_dev#key=${tenant.managementKey}`)
    await page.until(`${text('body')}.includes('Live')`)
    t.equal(await page.evaluate('location.href'), `${url}/_dev`, 'the key is removed from the address')
    await tenant.asPublic('GET', '/tokens')
    await page.until(`${text('tr.row')}.includes('permission_denied')`)
    await page.evaluate(click('tr.row button'))
    await page.until(`${text('.detail .explanation')}.includes('token:read is not held directly')`)
    t.match(await page.evaluate('location.hash'), /^#requests\/\d+$/)
    t.same(page.failures, [])
  })

  await t.test('the documentation shows every operation, and sends a first call', async t => {
    const page = await open('/docs')
    const all = JSON.stringify(summaries)
    await page.until(`${all}.every(one => ${text('#reference')}.includes(one))`)
    const button = (name: string) =>
      `[...document.querySelectorAll('#quickstart button')].find(one => one.textContent === '${name}')`
    await page.evaluate(`${button('Make keys for me')}.click()`)
    await page.until(`${text('#quickstart')}.includes('are sent with the key of your tenant')`)
    await page.evaluate(`${button('Send')}.click()`)
    await page.until(`${text('#quickstart [role=status]')}.startsWith('201')`)
    t.same(page.failures, [])
    await page.evaluate(`console.error('the control')`)
    t.same(page.failures, ['the control'])
  })
})
