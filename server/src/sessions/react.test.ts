import t from 'tap'
import { echo, makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { openAuthorized } from './_fixture.ts'

const vault = openReactors(t)

t.test('a session with token:use invokes reactors, on the tokens that both may use', async t => {
  const tenant = await openTenant(vault)
  const { path } = await reactorOn(tenant, echo)
  const inside = await makeToken(tenant, { data: 'inside', containers: ['/a/'] })
  const outside = await makeToken(tenant, { data: 'outside', containers: ['/c/'] })
  const rule = { priority: 1, container: '/a/', transform: 'redact', permissions: ['token:use'] }
  const own = await tenant.application({ rules: [rule] })
  const byGrant = await openAuthorized(tenant, { rules: [rule] })
  const byAuthorizer = await openAuthorized(tenant, { permissions: ['token:use'] }, own)
  for (const { send } of [byGrant, byAuthorizer]) {
    const react = (id: string) => send('POST', path, { args: { x: `{{ ${id} }}` } })
    const used = await react(inside)
    t.equal(used.status, 200, used.text)
    t.same(used.json.raw.args, { x: 'inside' })
    t.equal((await react(outside)).status, 403)
  }
})

t.test('what a formula makes for a session belongs to its public application', async t => {
  const tenant = await openTenant(vault)
  const { path } = await reactorOn(tenant, "module.exports = () => ({ tokenize: { made: 'x' } })")
  const { send } = await openAuthorized(tenant, { permissions: ['token:use'] })
  const { json } = await send('POST', path, {})
  const { id: creator } = (await tenant.asPublic('GET', '/applications/key')).json
  t.equal((await tenant.send('GET', `/tokens/${json.tokens.made}`)).json.created_by, creator)
})
