import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)

const shown = async (tenant: TestTenant, body: object) => {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', ...body } as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.data
}

t.test('a mask has any JSON shape, and a whole expression keeps the type of its value', async t => {
  const tenant = await openTenant(vault)
  const data = { name: 'Ada', age: 36, tags: ['a', 'b'], active: true, nested: { pin: '1234' } }
  const cases: [mask: unknown, seen: unknown][] = [
    ['fixed', 'fixed'],
    [42, 42],
    [true, true],
    ['{{ data.age }}', 36],
    ['age {{ data.age }}', 'age 36'],
    ['{{ data.active }}', true],
    ['{{ data.tags }}', ['a', 'b']],
    ['{{ data.nested }}', { pin: '1234' }],
    [{ a: { b: ['{{ data.name }}', '{{ data.age }}'] } }, { a: { b: ['Ada', 36] } }],
    [['{{ data.nested.pin | reveal_last: 1 }}'], ['XXX4']],
    [{}, {}],
  ]
  for (const [mask, seen] of cases)
    t.strictSame(await shown(tenant, { data, mask }), seen, JSON.stringify(mask))
})

t.test('members that give nothing are left out', async t => {
  const tenant = await openTenant(vault)
  t.strictSame(await shown(tenant, { data: { a: 1 }, mask: { a: '{{ data.a }}', b: '{{ data.b }}' } }), {
    a: 1,
  })
  t.equal(await shown(tenant, { data: { a: 1 }, mask: '{{ data.b }}' }), undefined)
})

t.test('a bad mask is refused with its path, and one character makes the difference', async t => {
  const tenant = await openTenant(vault)
  const cases: [refused: unknown, path: string, control: unknown][] = [
    ['{{ data | no_such_filter }}', 'mask', '{{ data | upcase }}'],
    ['{{ data', 'mask', '{{ data }}'],
    [{ a: { b: '{{ data | }}' } }, 'mask.a.b', { a: { b: '{{ data }}' } }],
    [{ list: ['ok', '{{ other }}'] }, 'mask.list.1', { list: ['ok', '{{ data }}'] }],
    ["{% include 'x' %}", 'mask', '{% if data %}x{% endif %}'],
  ]
  for (const [refused, path, control] of cases) {
    const reply = await tenant.send('POST', '/tokens', { type: 'token', data: 'x', mask: refused } as never)
    t.equal(reply.status, 400, JSON.stringify(refused))
    t.ok(reply.json.errors?.[path], `${path}: ${JSON.stringify(reply.json.errors)}`)
    const accepted = await tenant.send('POST', '/tokens', {
      type: 'token',
      data: 'x',
      mask: control,
    } as never)
    t.equal(accepted.status, 201, JSON.stringify(control))
    const patched = await tenant.send('PATCH', `/tokens/${accepted.json.id}`, {
      mask: { m: refused },
    } as never)
    t.equal(patched.status, 400, `as a patch: ${JSON.stringify(refused)}`)
  }
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

t.test('names of the prototype lead nowhere', async t => {
  const tenant = await openTenant(vault)
  for (const path of ['constructor', 'constructor.name', 'toString', '__proto__', 'hasOwnProperty']) {
    t.equal(await shown(tenant, { data: { a: 1 }, mask: `{{ data.${path} }}` }), undefined, path)
  }
  const own = { constructor: 'mine', toString: 'own' }
  t.equal(await shown(tenant, { data: own, mask: '{{ data.constructor }}' }), 'mine')
})
