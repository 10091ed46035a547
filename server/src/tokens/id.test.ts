import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)

t.test('an id can be made from the data', async t => {
  const tenant = await openTenant(vault)
  const create = async (id: string, data: string) =>
    (await tenant.send('POST', '/tokens', { id, type: 'token', data })).json
  t.match((await create('{{ data | alias_preserve_format: 2, 4 }}', '12-345-6789')).id, /^12-\d{3}-6789$/)
  t.match((await create('{{ data | alias_preserve_length }}', 'Secret')).id, /^.{6}$/)
  t.match((await create('{{ data | alias_card: true, true }}', '4242424242424242')).id, /^424242\d{6}4242$/)
  t.equal((await create('user_{{ data | downcase }}', 'ADA')).id, 'user_ada')
})

t.test('an expression that gives no id is refused', async t => {
  const tenant = await openTenant(vault)
  const cases: [string, string][] = [
    ['{{ data.nothing }}', '{{ data }}1'],
    ['{{ data | slice: 0, 2 }}', '{{ data | slice: 0, 3 }}'],
    ["{{ data | append: '/x' }}", "{{ data | append: '_x' }}"],
    ['{{ data | nonsense }}', '{{ data | upcase }}2'],
    ['{{ data', 'data-x'],
  ]
  for (const [refused, control] of cases) {
    const create = (id: string) => tenant.send('POST', '/tokens', { id, type: 'token', data: 'value' })
    const reply = await create(refused)
    t.equal(reply.status, 400, refused)
    t.ok(reply.json.errors?.id, refused)
    t.equal((await create(control)).status, 201, control)
  }
})

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

t.test('a constant expression whose id is taken ends in a UUID as well', async t => {
  const tenant = await openTenant(vault)
  const body = { id: "{{ 'always' }}", type: 'token', data: 1 }
  t.equal((await tenant.send('POST', '/tokens', body)).json.id, 'always')
  t.match((await tenant.send('POST', '/tokens', body)).json.id, /^[0-9a-f-]{36}$/)
})
