import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'

/** The least a formula needs. */
const least = { name: 'Least', type: 'private', code: 'module.exports = () => ({})' }

t.test('two formulas come with the server, and stay as they are', async t => {
  const vault = openVault(t)
  const shipped = async (tenant: TestTenant) => {
    const { data } = (await tenant.asManagement('GET', '/reactor-formulas')).json
    return data.map(({ name, type, status }: JsonObject) => ({ name, type, status }))
  }
  const expected = [
    { name: 'Deduplicating card tokenizer', type: 'official', status: 'verified' },
    { name: 'Card BIN and Luhn check', type: 'official', status: 'verified' },
  ]
  const operator = await openTenant(vault, { operator: true })
  t.same(await shipped(operator), expected)
  const [{ id }] = (await operator.asManagement('GET', '/reactor-formulas')).json.data
  const path = `/reactor-formulas/${id}`
  for (const tenant of [operator, await openTenant(vault)]) {
    t.equal((await tenant.asManagement('PUT', path, { ...least, type: 'official' })).status, 403)
    t.equal((await tenant.asManagement('DELETE', path)).status, 403)
    t.equal((await tenant.asManagement('GET', path)).status, 200)
  }
  await vault.reset()
  t.same(await shipped(await openTenant(vault)), expected)
})
