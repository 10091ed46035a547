import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

type Tap = Parameters<typeof openVault>[0] & { testdir(files: Record<string, string>): string }

/** Opens a tenant of a server with this profile, or with none. Each response is checked before it is translated. */
async function speaking(t: Tap, profile?: string, options = {}): Promise<TestTenant> {
  const file = profile === undefined ? {} : { profile: `${t.testdir({ 'a.yaml': profile })}/a.yaml` }
  return openTenant(openVault(t, { ...file, ...options }))
}

const camel = { 'SVC-MEMBERS': 'camelCase' }
const snake = { 'SVC-MEMBERS': 'snake_case' }
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

t.test('members in camelCase are accepted and answered in kind', async t => {
  const { send } = await speaking(t, 'dialects: [camel-case-members]')
  const token = {
    type: 'token',
    data: { createdBy: 'a', created_by: 'b' },
    mask: { own_name: '{{ data.createdBy }}' },
    metadata: { expiresAt: 'c', expires_at: 'd' },
  }
  const made = await send('POST', '/tokens', {
    ...token,
    searchIndexes: ['{{ data.createdBy }}'],
    deduplicateToken: true,
    expiresAt: '2999-01-01',
  })
  t.equal(made.status, 201)
  t.match(made.json, { metadata: token.metadata, data: { own_name: 'a' }, mask: token.mask })
  const names = Object.keys(made.json)
  const expected = [
    'tenantId',
    'createdBy',
    'createdAt',
    'expiresAt',
    'searchIndexes',
    'fingerprintExpression',
  ]
  for (const name of expected) t.ok(names.includes(name), name)
  t.notOk(names.some(name => name.includes('_')))
  const again = await send('POST', '/tokens', { ...token, deduplicateToken: true })
  t.same(
    { status: again.status, id: again.json.id },
    { status: 200, id: made.json.id },
    'the member is not ignored',
  )
  const read = await send('GET', `/tokens/${made.json.id}`, undefined, camel)
  t.same(read.json.data, token.data, 'data keeps the names of its members')
  t.equal(read.json.createdBy, made.json.createdBy)
  t.ok('created_by' in (await send('GET', `/tokens/${made.json.id}`)).json, 'control: without the header')
  const plain = await send('POST', '/tokens', { ...token, expiresAt: '2999-01-01' }, snake)
  t.ok('created_by' in plain.json, 'the header counts more')
  for (const [header, name] of [
    ['camelcase', 'createdBy'],
    ['kebab-case', 'created_by'],
  ] as const)
    t.ok(name in (await send('GET', '/tokens', undefined, { 'SVC-MEMBERS': header })).json.data[0], header)
  const own = await send('GET', '/tenants/self', undefined, { 'SVC-MEMBERS': 'kebab-case' })
  t.equal(own.status, 200, 'an operation that has no 400')
})

t.test('pages, applications, formulas and their lists are in camelCase', async t => {
  const { send, asManagement } = await speaking(t, 'dialects: [camel-case-members]')
  await send('POST', '/tokens', { type: 'card', data: card, metadata: { my_key: 'x' } })
  for (const reply of [
    await send('GET', '/tokens', undefined, camel),
    await send('POST', '/tokens/search', { query: 'metadata.my_key:x' }, camel),
  ]) {
    t.match(reply.json, {
      pagination: { totalItems: 1, pageNumber: 1 },
      data: [{ metadata: { my_key: 'x' } }],
    })
    t.ok('createdBy' in reply.json.data[0])
    t.same(reply.json.data[0].data, card, 'the data of a card, too')
  }
  t.match((await send('GET', '/tokens')).json, { pagination: { total_items: 1 } }, 'control')
  const code =
    'module.exports = async ({ args }) => ({ raw: args, tokenize: { own_key: { type: "token", data: "x" }, bare_key: "y" } })'
  const described = { requestParameters: [{ name: 'own_arg', type: 'string' }] }
  const configured = { configuration: [{ name: 'OWN_KEY', type: 'string' }] }
  const own = { name: 'F', type: 'private', code, ...described, ...configured }
  const formula = await asManagement('POST', '/reactor-formulas', own)
  t.match(formula, { status: 201, json: { ...described, ...configured } })
  const configuration = { OWN_KEY: 'a' }
  const body = { name: 'R', formula: { id: formula.json.id }, configuration }
  const reactor = await asManagement('POST', '/reactors', body, camel)
  t.match(reactor.json, { configuration, formula: { requestParameters: [{}] } })
  const { json } = await send('POST', `/reactors/${reactor.json.id}/react`, { args: { own_arg: 'a' } }, camel)
  t.same(json.raw, { own_arg: 'a' })
  t.ok('createdBy' in json.tokens.own_key)
  t.type(json.tokens.bare_key, 'string')
  const both = { args: { own_arg: 'a' }, timeoutMs: 1, callbackUrl: 'https://a.test' }
  const refused = await send('POST', `/reactors/${reactor.json.id}/react`, both)
  t.match(refused, { status: 400, json: { errors: { timeoutMs: [/./] } } })
  const logs = await asManagement('GET', '/logs?entityType=reactor_formula')
  t.match(logs.json.data, [{ entityType: 'reactor_formula', actorType: 'application' }])
  t.equal(logs.json.data.length, 1)
  for (const [query, member] of [
    ['entityType=nothing', 'entityType'],
    ['entityType=token&entity_type=token', 'entityType'],
    ['entity_type=nothing', 'entity_type'],
  ] as const)
    t.ok((await asManagement('GET', `/logs?${query}`)).json.errors[member], query)
})

t.test('payloads are translated where they describe tokens only', async t => {
  const { send } = await speaking(t, 'dialects: [camel-case-members]')
  const described = { type: 'token', data: { a_b: 1 }, fingerprintExpression: 'x', metadata: { a_b: 'c' } }
  const { status, json } = await send('POST', '/tokenize', { own_key: [described, { expiresAt: 'text' }] })
  t.equal(status, 200)
  t.match(json.own_key[0], { fingerprintExpression: 'x', metadata: { a_b: 'c' } })
  t.type(json.own_key[1].expiresAt, 'string', 'structure keeps its names')
  const plain = await send('POST', '/tokenize', { own_key: { type: 'token', data: 1 } })
  t.ok('created_by' in plain.json.own_key, 'control')
  const refused = await send('POST', '/tokenize', { own_key: [{ ...described, expiresAt: 'never' }] })
  t.equal(refused.status, 400)
  t.ok(refused.json.errors['own_key.0.expiresAt'], refused.text)
})

t.test('the client of a formula may send members in camelCase', async t => {
  for (const [profile, raw] of [
    ['dialects: [camel-case-members]', [200, 'text']],
    ['permissions: []', 400],
  ] as const) {
    const tenant = await speaking(t, profile)
    const { id } = await tenant.application({ permissions: ['token:create', 'token:use'] })
    const code = `module.exports = async ({ svc }) => {
      const token = { type: 'token', data: 1, expiresAt: '2999-01-01' }
      const made = await svc.tokens.create(token).catch(error => error.problem.status)
      return { raw: made.id ? [200, made.expiresAt && 'text'] : made }
    }`
    const react = await reactorOn(tenant, code, { reactor: { application: { id } } })
    t.same((await react({})).json.raw, raw, profile)
  }
})

t.test('errors name members as the request did', async t => {
  const { send, asManagement } = await speaking(t, 'dialects: [camel-case-members]')
  const twice = { type: 'token', data: 1, deduplicateToken: true, deduplicate_token: true }
  const both = await send('POST', '/tokens', twice)
  t.equal(both.status, 400)
  t.same(both.json.errors, { deduplicateToken: ['is given as deduplicate_token, too; give one of the two'] })
  const body = { type: 'card', data: { ...card, expiration_month: 13 }, expiresAt: 'never' }
  const { errors } = (await send('POST', '/tokens', body)).json
  t.same(Object.keys(errors).sort(), ['data.expiration_month', 'expiresAt'])
  const { expiresAt: _e, ...others } = { ...body, expires_at: 'never' }
  t.ok((await send('POST', '/tokens', others)).json.errors.expires_at, 'control')
  const rule = { priority: 0, container: '/', transform: 'mask', permissions: ['token:read'] }
  const application = { name: 'A', type: 'private', rules: [rule] }
  const refused = await asManagement('POST', '/applications', application, camel)
  t.ok(refused.json.errors['rules.0.priority'], refused.text)
  t.equal((await send('GET', '/tokens/unknown', undefined, camel)).status, 404)
})

t.test('a page that is sent in pieces is in camelCase, too', async t => {
  for (const dev of [true, false]) {
    const { send } = await speaking(t, 'dialects: [camel-case-members, privacy]', { dev })
    const data = 'x'.repeat(300_000)
    for (let made = 0; made < 4; made++) await send('POST', '/tokens', { type: 'token', data })
    const { json } = await send('GET', '/tokens', undefined, camel)
    t.equal(json.pagination.totalItems, 4)
    t.equal(json.data.length, 4)
    for (const token of json.data) t.match(token, { createdBy: /./, data, privacy: { impactLevel: 'high' } })
    t.equal((await send('GET', '/tokens?page=2', undefined, camel)).json.pagination.totalItems, 4)
  }
})

t.test('without the dialect, a member in camelCase is named in a warning under a profile', async t => {
  const { send } = await speaking(t, 'permissions: [report:read]')
  const token = { type: 'token', data: 1, deduplicateToken: true }
  const made = await send('POST', '/tokens', token, camel)
  t.equal(made.status, 201)
  t.match(made.headers.get('svc-warning'), /deduplicateToken; did you mean deduplicate_token\?/)
  t.ok('created_by' in made.json, 'the header means nothing')
  t.equal((await (await speaking(t)).send('POST', '/tokens', token)).status, 400)
})

t.test('pages of browsers may choose the spelling, and read added headers', async t => {
  const origin = 'https://app.example.com'
  const ask = { Origin: origin, 'Access-Control-Request-Method': 'GET' }
  for (const [text, allowed] of [
    ['dialects: [camel-case-members]\nresponse_headers: { X-Version: "1" }', true],
    ['permissions: []', false],
  ] as const) {
    const { send } = await speaking(t, text, { corsOrigins: [origin] })
    const { headers } = await send('OPTIONS', '/tokens', undefined, ask)
    t.equal(headers.get('access-control-allow-headers')?.includes('SVC-MEMBERS'), allowed)
    const read = await send('GET', '/tokens', undefined, { Origin: origin })
    t.equal(read.headers.get('access-control-expose-headers')?.includes('x-version'), allowed)
  }
})

t.test('privacy names the container of a token', async t => {
  const tenant = await speaking(t, 'dialects: [privacy]')
  const { send } = tenant
  const make = (token: object) => send('POST', '/tokens', { type: 'token', data: 'x', ...token })
  const shown = (classification: string, impact_level: string, restriction_policy: string) => ({
    classification,
    impact_level,
    restriction_policy,
  })
  const ofCard = {
    type: 'card',
    data: card,
    privacy: { impact_level: 'moderate', restriction_policy: 'mask' },
  }
  for (const [token, container, privacy] of [
    [{}, '/general/high/', shown('general', 'high', 'redact')],
    [{ privacy: null }, '/general/high/', shown('general', 'high', 'redact')],
    [{ privacy: { impact_level: 'low' } }, '/general/low/', shown('general', 'low', 'redact')],
    [{ privacy: { classification: 'pii' }, mask: '*' }, '/pii/high/', shown('pii', 'high', 'mask')],
    [ofCard, '/pci/moderate/', shown('pci', 'moderate', 'mask')],
    [{ privacy: {}, containers: ['/General/High/'] }, '/General/High/', shown('general', 'high', 'redact')],
    [{ containers: ['/pci/low/visa/'] }, '/pci/low/visa/', shown('pci', 'low', 'redact')],
    // None for another container.
    [{ containers: ['/own/'] }, '/own/', undefined],
  ] as const) {
    const { status, json } = await make(token)
    t.equal(status, 201, JSON.stringify(json))
    t.same({ containers: json.containers, privacy: json.privacy }, { containers: [container], privacy })
  }
  for (const [token, path] of [
    [{ privacy: { classification: 'secret' } }, 'privacy.classification'],
    [{ privacy: { impact_level: 1 } }, 'privacy.impact_level'],
    [{ privacy: 'high' }, 'privacy'],
    [{ privacy: { impact_level: 'low' }, containers: ['/general/high/'] }, 'privacy'],
    [{ privacy: {}, containers: ['/general/high/', '/a/'] }, 'privacy'],
    [{ ...ofCard, privacy: { restriction_policy: 'redact' } }, 'privacy.restriction_policy'],
    [{ mask: '*', privacy: { restriction_policy: 'redact' } }, 'privacy.restriction_policy'],
  ] as const) {
    const refused = await make(token)
    t.equal(refused.status, 400, JSON.stringify(token))
    t.same(Object.keys(refused.json.errors), [path])
  }
  const { json } = await make({ privacy: { classification: 'bank' } })
  for (const reply of [
    await send('GET', `/tokens/${json.id}`),
    await send('PATCH', `/tokens/${json.id}`, { mask: '*' }),
  ])
    t.equal(reply.json.privacy.classification, 'bank')
  t.equal((await send('PATCH', `/tokens/${json.id}`, { privacy: {} })).status, 400)
  const [listed] = (await send('GET', `/tokens?id=${json.id}`)).json.data
  t.same(listed.privacy, shown('bank', 'high', 'mask'))
  const payload = { a: { type: 'token', data: 1, privacy: { classification: 'pii' } } }
  const tokenized = await send('POST', '/tokenize', payload)
  t.same(tokenized.json.a.containers, ['/pii/high/'])
  t.equal(tokenized.headers.get('svc-warning'), null)
  t.same(tokenized.json.a.privacy, shown('pii', 'high', 'redact'))
  const react = await reactorOn(tenant, `module.exports = () => ({ tokenize: ${JSON.stringify(payload)} })`)
  const reacted = await react({})
  t.same(reacted.json.tokens.a.containers, ['/pii/high/'])
  t.same(reacted.json.tokens.a.privacy, shown('pii', 'high', 'redact'))
  const strict = await speaking(t, 'permissions: []')
  const plain = await strict.send('POST', '/tokens', payload.a)
  t.same(
    { containers: plain.json.containers, privacy: plain.json.privacy },
    { containers: ['/general/high/'], privacy: undefined },
    'control',
  )
})

t.test('privacy allows nothing that the container does not', async t => {
  const { application } = await speaking(t, 'dialects: [privacy]')
  const rule = { priority: 1, container: '/general/low/', transform: 'mask', permissions: ['token:create'] }
  const caller = await application({ rules: [rule] })
  const make = (impact_level: string) =>
    caller('POST', '/tokens', { type: 'token', data: 1, privacy: { impact_level } })
  t.equal((await make('low')).status, 201)
  t.equal((await make('high')).status, 403)
})

t.test('a profile adds headers to responses', async t => {
  const text = 'response_headers: { X-Api-Version: "2022-10" }'
  const tenant = await speaking(t, text)
  for (const path of ['/tokens', '/tokens/unknown', '/nowhere'])
    t.equal((await tenant.send('GET', path)).headers.get('x-api-version'), '2022-10', path)
  const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
    module.exports = async () => { throw new CustomHttpResponseError({ status: 200, headers: { 'x-api-version': 'own' }, body: 1 }) }`
  const reacted = await (await reactorOn(tenant, code))({})
  t.equal(reacted.headers.get('x-api-version'), 'own', 'what a formula sets stays')
  const plain = await speaking(t)
  t.equal((await plain.send('GET', '/tokens')).headers.get('x-api-version'), null, 'control')
})

t.test('entries of the log show kinds of resources under the names of a profile', async t => {
  const { send, asManagement } = await speaking(t, 'log_entity_types: { token: vault-token, tenant: token }')
  await send('POST', '/tokens', { type: 'token', data: 1 })
  const types = async (query: string) => {
    const { json } = await asManagement('GET', `/logs${query}`)
    return [...new Set(json.data?.map((entry: { entity_type: string }) => entry.entity_type))].sort()
  }
  t.ok((await types('')).includes('vault-token'))
  t.same(await types('?entity_type=vault-token'), ['vault-token'])
  t.same(await types('?entity_type=application'), ['application'], 'others keep their name')
  const plain = await speaking(t)
  await plain.send('POST', '/tokens', { type: 'token', data: 1 })
  const { json } = await plain.asManagement('GET', '/logs?entity_type=token')
  t.equal(json.data[0].entity_type, 'token', 'control')
  t.equal((await plain.asManagement('GET', '/logs?entity_type=vault-token')).status, 400)
})
