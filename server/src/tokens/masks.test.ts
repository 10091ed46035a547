import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)

const shown = async (tenant: TestTenant, body: object) => {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', ...body } as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.data
}

t.test('members that give nothing are left out', async t => {
  const tenant = await openTenant(vault)
  t.strictSame(await shown(tenant, { data: { a: 1 }, mask: { a: '{{ data.a }}', b: '{{ data.b }}' } }), {
    a: 1,
  })
  t.equal(await shown(tenant, { data: { a: 1 }, mask: '{{ data.b }}' }), undefined)
})

t.test('a hostile template ends in a 400, in creates and in patches', async t => {
  const tenant = await openTenant(vault)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).json
  const hostile = [
    '{% for a in (1..1000000000) %}{% for b in (1..1000000000) %}x{% endfor %}{% endfor %}',
    `{% assign s = 'x' %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}`,
    `{{ data${" | append: 'xxxxxxxx' | append: data".repeat(2000)} }}`,
    '{{ data | pad_left: 1000000000 }}',
  ]
  for (const template of hostile) {
    for (const member of ['mask', 'fingerprint_expression']) {
      const body = { type: 'token', data: 'x', [member]: template }
      t.equal((await tenant.send('POST', '/tokens', body)).status, 400, `${member}: ${template.slice(0, 40)}`)
      t.equal((await tenant.send('PATCH', `/tokens/${id}`, { [member]: template })).status, 400)
    }
  }
})
