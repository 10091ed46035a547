import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)

t.test('racing aliases never meet, and when none is free a UUID is taken', async t => {
  const tenant = await openTenant(vault)
  // Two of the three digits are kept, so there are ten aliases at the most.
  const body = { id: 'n{{ data | alias_preserve_format: 1, 1 }}', type: 'token', data: '123' }
  const replies = await Promise.all(Array.from({ length: 30 }, () => tenant.send('POST', '/tokens', body)))
  t.ok(replies.every(reply => reply.status === 201))
  const ids = replies.map(reply => reply.json.id)
  t.equal(new Set(ids).size, 30)
  const aliases = ids.filter(id => /^n1\d3$/.test(id))
  t.ok(aliases.length >= 5 && aliases.length <= 10, `${aliases.length} aliases`)
  t.ok(ids.every(id => /^n1\d3$/.test(id) || /^[0-9a-f-]{36}$/.test(id)))
})
