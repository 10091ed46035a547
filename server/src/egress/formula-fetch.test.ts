import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

/** Tests the option end to end, with the `fetch` of a formula. */
const code = `module.exports = async ({ args }) => {
  try {
    const response = await fetch(args.url, { method: 'POST', body: 'from the formula', headers: { 'X-Own': 'yes' } })
    return { raw: { status: response.status, text: await response.text() } }
  } catch (error) { return { raw: { failed: error.message } } }
}`

t.test('a formula can fetch from allowed origins only', async t => {
  const answer = (text: string) => openReceiver(t, (_, response) => void response.end(text))
  const [allowed, other] = [await answer('hello'), await answer('secret')]
  const vault = openVault(t, { formulaAllowOrigins: [allowed.origin] })
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, code)
  t.same((await react({ args: { url: allowed.origin } })).json, { raw: { status: 200, text: 'hello' } })
  t.match(allowed.received, [
    { method: 'POST', body: Buffer.from('from the formula'), headers: { 'x-own': 'yes' } },
  ])
  for (const url of [other.origin, 'http://localhost:1/', 'file:///etc/passwd']) {
    t.match((await react({ args: { url } })).json, { raw: { failed: String } }, url)
  }
  t.equal(other.received.length, 0)
})

t.test('by default a formula cannot fetch', async t => {
  const receiver = await openReceiver(t)
  const tenant = await openTenant(openVault(t))
  const react = await reactorOn(tenant, code)
  t.match((await react({ args: { url: receiver.origin } })).json, { raw: { failed: String } })
  t.equal(receiver.received.length, 0)
})
