import t from 'tap'
import { echo, makeFormula, openReactors } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'

const vault = openReactors(t)

t.test('a reactor needs no configuration where its formula has no settings', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  for (const given of [{}, { configuration: null }, { configuration: {} }]) {
    const made = await tenant.asManagement('POST', '/reactors', {
      name: 'R',
      formula: { id: formula.id },
      ...given,
    })
    t.match(made, { status: 201, json: { configuration: {} } })
    const put = await tenant.asManagement('PUT', `/reactors/${made.json.id}`, { name: 'S', ...given })
    t.match(put, { status: 200, json: { name: 'S', configuration: {} } })
  }
})
