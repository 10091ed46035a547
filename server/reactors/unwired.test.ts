import t from 'tap'
import { echo, openReactors, reactorOn } from '../testing/reactors.ts'
import { openTenant, openVault } from '../testing/vault.ts'

t.test('a server without a sandbox says so', async t => {
  const react = await reactorOn(await openTenant(openVault(t)), echo)
  t.match(await react(), { status: 501, json: { type: /not_implemented/ } })
})

t.test('a server that keeps no jobs says so', async t => {
  const react = await reactorOn(await openTenant(openReactors(t)), echo)
  const reply = await react({ callback_url: 'https://example.org/' })
  t.match(reply, { status: 501, json: { type: /not_implemented/ } })
  t.equal((await react()).status, 200)
})
