import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import { openProxy, target } from '../proxy/_fixture.ts'

const vault = openVault(t)
const secret = '078-05-1120'
const ssn = { type: 'social_security_number', data: secret }
const oneWay = { ...ssn, one_way: true }
const masked = 'XXX-XX-1120'

const create = async (tenant: TestTenant, body: JsonValue) =>
  (await tenant.send('POST', '/tokens', body)).json.id as string

t.test('a rule that reveals shows the mask of a one-way token, in every operation', async t => {
  const tenant = await openTenant(vault)
  const made = await tenant.send('POST', '/tokens', oneWay)
  t.match(made, { status: 201, json: { one_way: true, data: masked } })
  const { id } = made.json
  const control = await create(tenant, ssn)
  const search = { query: 'data:078051120' }
  const seen: Record<string, (id: string) => Promise<JsonValue>> = {
    get: async id => (await tenant.send('GET', `/tokens/${id}`)).json.data,
    list: async id => (await tenant.send('GET', `/tokens?id=${id}`)).json.data[0].data,
    search: async id => {
      const { data } = (await tenant.send('POST', '/tokens/search', search)).json
      return data.find((token: { id: string }) => token.id === id).data
    },
    update: async id => (await tenant.send('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } })).json.data,
    detokenize: async id => (await tenant.send('POST', '/detokenize', [`{{ ${id} }}`])).json[0],
    'as a whole': async id => (await tenant.send('POST', '/detokenize', [`{{ token: ${id} }}`])).json[0].data,
  }
  for (const [name, shown] of Object.entries(seen)) {
    t.equal(await shown(id), masked, name)
    t.equal(await shown(control), secret, `${name}: the control`)
  }
  const bare = await create(tenant, { type: 'token', data: 'x', one_way: true })
  t.notOk('data' in (await tenant.send('GET', `/tokens/${bare}`)).json, 'without a mask there is nothing')
  t.same((await tenant.send('POST', '/detokenize', [`{{ ${bare} }}`])).json, [null])
  const plain = (await tenant.send('GET', `/tokens/${control}`)).json
  t.notOk('one_way' in plain)
  t.notOk('one_way' in (await tenant.send('POST', '/tokens', { ...ssn, one_way: false })).json)
  const log = (await tenant.asManagement('GET', `/logs?entity_id=${id}`)).json.data
  t.same(
    log.map(({ operation }: { operation: string }) => operation),
    ['token:update', 'token:create'],
    'nothing was revealed',
  )
})

t.test('a one-way token stays one, and keeps its expressions', async t => {
  const tenant = await openTenant(vault)
  const [id, control] = [await create(tenant, oneWay), await create(tenant, ssn)]
  const direct = await tenant.application({ permissions: ['token:update'] })
  for (const [member, value] of [
    ['mask', '{{ data }}'],
    ['mask', null],
    ['search_indexes', ['{{ data | slice: 0, 1 }}']],
    ['search_indexes', []],
    ['fingerprint_expression', '{{ data | slice: 0, 1 }}'],
  ] as const) {
    const patch = { [member]: value } as JsonValue
    for (const send of [tenant.send, direct]) {
      const refused = await send('PATCH', `/tokens/${id}`, patch)
      t.equal(refused.status, 403, member)
      t.same(refused.json.errors, { [member]: ['cannot be changed: the token is one-way'] })
      t.equal((await send('PATCH', `/tokens/${control}`, patch)).status, 200, 'the control')
    }
  }
  for (const patch of [
    { one_way: false },
    { one_way: null },
    { containers: ['/b/'] },
    { data: '078-05-1121' },
  ]) {
    const { status, json } = await tenant.send('PATCH', `/tokens/${id}`, patch as JsonValue)
    t.match([status, json.one_way], [200, true], JSON.stringify(patch))
    t.match(json.data, /^XXX-XX-/)
  }
  t.equal((await tenant.send('GET', `/tokens/${id}`)).json.data, 'XXX-XX-1121', 'the mask works on new data')
})

t.test('an update does not say what the expressions of a one-way token make of its data', async t => {
  const tenant = await openTenant(vault)
  const body = { type: 'token', data: { a: 'x', n: 1 }, search_indexes: ['{{ data.a }}'] }
  const patch = { data: { a: null } }
  const detail = async (one_way: boolean) => {
    const { status, json } = await tenant.send(
      'PATCH',
      `/tokens/${await create(tenant, { ...body, one_way })}`,
      patch,
    )
    t.equal(status, 400)
    return Object.keys(json.errors)
  }
  t.same(await detail(true), ['data'])
  t.same(await detail(false), ['search_indexes.0'], 'the control')
})

t.test('only tokens of the same kind are duplicates', async t => {
  const tenant = await openTenant(vault)
  const deduplicated = { ...ssn, deduplicate_token: true }
  const open = await create(tenant, deduplicated)
  const closed = await tenant.send('POST', '/tokens', { ...deduplicated, one_way: true })
  t.equal(closed.status, 201, 'what can be revealed takes the place of nothing that must not be')
  t.equal(await create(tenant, { ...deduplicated, one_way: true }), closed.json.id)
  t.equal(await create(tenant, deduplicated), open)
  const [first, second] = (
    await tenant.send('POST', '/tokenize', [
      { ...deduplicated, data: '078-05-1122' },
      { ...deduplicated, data: '078-05-1122', one_way: true },
    ])
  ).json
  t.not(first.id, second.id)
  t.equal(first.fingerprint, second.fingerprint, 'the fingerprint is that of the data')
})

t.test('a formula gets no data of a one-way token, in its arguments or by its client', async t => {
  const own = openReactors(t, { allowPrivateCallbacks: true })
  const tenant = await openTenant(own)
  const [id, control] = [await create(tenant, oneWay), await create(tenant, ssn)]
  const client = await tenant.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:use'] }],
  })
  const code = `module.exports = async ({ args, svc }) => ({ raw: [args.value ?? null, (await svc.tokens.get(args.id)).data] })`
  const send = await reactorOn(tenant, code, { reactor: { application: { id: client.id } } })
  const react = (args: JsonValue) => send({ args })
  for (const expression of [
    `{{ ${id} }}`,
    `a {{ ${id} }}`,
    `{{ ${id} | slice: 0 }}`,
    `{{ token: ${id} | json: '$.id' }}`,
  ]) {
    const refused = await react({ value: expression, id: control })
    t.match(
      refused,
      { status: 403, json: { detail: `a formula gets no data of one-way tokens: ${id}` } },
      expression,
    )
    t.equal((await react({ value: expression.replace(id, control), id: control })).status, 200, 'the control')
  }
  t.same((await react({ id })).json.raw, [null, masked])
  t.same((await react({ id: control })).json.raw, [null, secret], 'the control')
  const later = (id: string) =>
    send({ args: { value: `{{ ${id} }}`, id }, callback_url: 'http://127.0.0.1:9/' })
  t.equal((await later(id)).status, 403, 'nor later')
  t.equal((await later(control)).status, 202, 'the control')
})

t.test('a proxied request has the mask of a one-way token', async t => {
  const { tenant, receiver } = await openProxy(t)
  const ids = [await create(tenant, oneWay), await create(tenant, ssn)]
  for (const id of ids) {
    const body = { value: `{{ ${id} }}`, id }
    await tenant.send('POST', '/proxy', body, { 'SVC-PROXY-URL': target })
  }
  const [plain, control] = receiver.received.map(({ body }) => JSON.parse(`${body}`))
  t.same([plain.value, control.value], [masked, secret])
})

t.test('an export has a placeholder for the data of a one-way token', async t => {
  const tenant = await openTenant(vault)
  const [id, control] = [await create(tenant, { ...oneWay, data: '219-09-9999' }), await create(tenant, ssn)]
  const { fixtures } = await vault.dev.forTenant(tenant).export({ values: 'plain' })
  const { tokens } = (fixtures as { tenants: [{ tokens: { id: string; data: string; one_way?: true }[] }] })
    .tenants[0]
  const of = (id: string) => tokens.find(token => token.id === id)
  t.match(of(id), { one_way: true, data: /^\d{3}-?\d{2}-?\d{4}$/ })
  t.not(of(id)?.data, '219-09-9999')
  t.equal(of(control)?.data, secret, 'the control')
})
