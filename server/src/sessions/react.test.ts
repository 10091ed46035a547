import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { openAuthorized } from './_fixture.ts'

const vault = openReactors(t)

t.test('what a formula makes for a session belongs to its public application', async t => {
  const tenant = await openTenant(vault)
  const { path } = await reactorOn(tenant, "module.exports = () => ({ tokenize: { made: 'x' } })")
  const { send } = await openAuthorized(tenant, { permissions: ['token:use'] })
  const { json } = await send('POST', path, {})
  const { id: creator } = (await tenant.asPublic('GET', '/applications/key')).json
  t.equal((await tenant.send('GET', `/tokens/${json.tokens.made}`)).json.created_by, creator)
})
