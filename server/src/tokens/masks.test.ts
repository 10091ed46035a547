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

const mask = {
  name: '{{ data.name }}',
  gone: '{{ data.missing }}',
  empty: "{{ data.name | remove: 'Ann' }}",
  list: ['{{ data.amount | plus: 1 }}'],
  plain: 'text',
}

t.test('the record of a request names the expressions of masks that gave nothing', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const limited = await tenant.application({
    rules: [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:read', 'token:use'] }],
  })
  const data = { name: 'Ann', amount: 1 }
  t.equal((await tenant.send('POST', '/tokens', { id: 'a-token', type: 'token', data, mask })).status, 201)
  const read = await limited('GET', '/tokens/a-token')
  t.same(read.json.data, { name: 'Ann', empty: '', list: [2], plain: 'text' })
  t.notOk('explanation' in read.json, 'a response is as without dev')
  await limited('POST', '/detokenize', '{{ a-token }}')
  const { requests } = vault.dev.forTenant(tenant)
  const expected = [
    { token_id: 'a-token', path: 'mask.gone', reason: 'it gave null' },
    { token_id: 'a-token', path: 'mask.empty', reason: 'it gave an empty text' },
  ]
  for (const operation of ['tokens.create', 'tokens.get', 'detokenize'])
    t.same((await requests.next({ operation })).masks, expected, operation)
  await tenant.send('GET', '/tokens/a-token')
  const revealed = await requests.next({ operation: 'tokens.get' })
  t.notOk('masks' in revealed, 'nothing was masked')
})

t.test('a mask of many expressions is noted up to a bound, and each once', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, '{{ data.missing }}']))
  await tenant.send('POST', '/tokens', { id: 'a-token', type: 'token', data: {}, mask: many })
  const { requests } = vault.dev.forTenant(tenant)
  t.equal((await requests.next()).masks?.length, 20)
  await tenant.send('PATCH', '/tokens/a-token', { mask: { gone: '{{ data.gone }}' } })
  const { masks = [] } = await requests.next({ operation: 'tokens.update' })
  t.equal(new Set(masks.map(({ path }) => path)).size, masks.length)
})
