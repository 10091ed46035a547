import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Surrogate } from '../../../sdk/src/index.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { readOperations } from '../contract/backend.ts'
import { readDocument } from '../contract/contract.ts'
import { Places } from '../contract/places.ts'
import { headerPrefix } from '../generated/facts.ts'
import { createVault } from '../vault.ts'
import { ProfileError, withProfile } from './profile.ts'

const example = fileURLToPath(new URL('../../examples/profile/acme.yaml', import.meta.url))

t.test('the guide and the README show the example', async t => {
  for (const file of ['guide/profile.md', 'README.md']) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    t.equal(/```yaml\n([\s\S]*?)```/.exec(text)?.[1], readFileSync(example, 'utf8'), file)
  }
})

t.test('code of an imaginary vendor runs unchanged', async t => {
  const bank = createServer((request, response) => response.end(JSON.stringify({ path: request.url })))
  await once(bank.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => bank.close())
  const { port } = bank.address() as AddressInfo
  const vault = openVault(t, {
    profile: example,
    formulaMapOrigins: { 'https://api.bank.example': `http://127.0.0.1:${port}` },
  })
  const { privateKey, managementKey } = await vault.createTenant({ operator: true })
  const send = async (key: string, method: string, path: string, body: object) => {
    const response = await vault.fetch(`http://vault${path}`, {
      method,
      headers: { 'ACME-API-KEY': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: await response.json(), headers: response.headers }
  }
  const made = await send(managementKey, 'POST', '/applications', {
    name: 'Reports',
    type: 'private',
    permissions: ['token:read', 'token:create', 'report:read'],
  })
  t.equal(made.status, 201)
  t.same(made.json.permissions, ['token:read', 'token:create', 'report:read'])
  t.ok(made.headers.get('ACME-TRACE-ID'))
  const formula = await send(managementKey, 'POST', '/reactor-formulas', {
    name: 'Charge',
    type: 'private',
    code: `
      const { demand } = require('@acme/checks')
      module.exports = async ({ args, acme }) => {
        const card = await acme.tokens.create({ type: 'card', data: demand(args, 'card'), deduplicateToken: true })
        const { data } = await acme.tokens.retrieve('11111111-1111-4111-8111-111111111111').catch(error => error)
        const answer = await (await fetch('https://api.bank.example/charges')).json()
        return { raw: { createdBy: card.createdBy, month: card.data.expiration_month, status: data.status, title: typeof data.title, answer } }
      }`,
  })
  const reactor = await send(managementKey, 'POST', '/reactors', {
    name: 'Charge',
    formula: { id: formula.json.id },
    application: { id: made.json.id },
  })
  t.same([formula.status, reactor.status], [201, 201])
  const invoke = (args: object) => send(privateKey, 'POST', `/reactors/${reactor.json.id}/react`, { args })
  const card = { number: '4242424242424242', expiration_month: '12', expiration_year: '2030' }
  const answer = await invoke({ card })
  t.equal(answer.status, 200)
  t.same(answer.json.raw, {
    createdBy: made.json.id,
    month: 12,
    status: 404,
    title: 'string',
    answer: { path: '/charges' },
  })
  const refused = await invoke({})
  t.equal(refused.status, 400)
  t.match(refused.json.errors, { 'args.card': ['is missing'] })
})

t.test('the client of the imaginary vendor has all that formulas may call', async t => {
  const vault = openVault(t, { profile: example })
  const { managementKey, privateKey } = await vault.createTenant()
  const surrogate = (apiKey: string) =>
    new Surrogate({ apiKey, fetch: vault.fetch, baseUrl: 'http://vault', headerPrefix: 'ACME' })
  const management = surrogate(managementKey)
  const application = await management.applications.create({
    name: 'A',
    type: 'private',
    permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'],
    rules: [
      {
        description: 'all',
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: [
          'token:read',
          'token:search',
          'token:use',
          'token:update',
          'token:delete',
          'token:create',
        ],
      },
    ],
  })
  const reactorOf = async (code: string) => {
    const formula = await management.reactorFormulas.create({ name: 'F', type: 'private', code })
    return management.reactors.create({
      name: 'R',
      formula: { id: formula.id },
      application: { id: application.id },
    })
  }
  const echo = await reactorOf('module.exports = async ({ args }) => ({ raw: args })')
  const { id } = await reactorOf(`module.exports = async ({ args, acme }) => {
    const made = await acme.tokens.create({ type: 'token', data: { ownName: 1 }, searchIndexes: ['{{ data.ownName }}'], metadata: { aB: 'c' } })
    const updated = await acme.tokens.update(made.id, { data: { ownName: 2 } })
    const found = await acme.tokens.search({ query: 'metadata.aB:c' })
    const listed = await acme.tokens.list()
    const { card } = await acme.tokenize({ card: { type: 'token', data: 'x y' } })
    const plain = await acme.detokenize({ fullName: '{{ ' + card.id + ' }}' })
    const { raw } = await acme.reactors.react(args.echo, { args: { aB: 1 } })
    await acme.tokens.delete(made.id)
    const { status } = await acme.tokens.retrieve(made.id).catch(error => error.data)
    return { raw: { own: updated.data, createdBy: found.data[0].createdBy, total: found.pagination.totalItems, listed: listed.data.length, plain, raw, status } }
  }`)
  const { raw } = await surrogate(privateKey).reactors.react(id, { args: { echo: echo.id } })
  t.same(raw, {
    own: { ownName: 2 },
    createdBy: application.id,
    total: 1,
    listed: 1,
    plain: { fullName: 'x y' },
    raw: { aB: 1 },
    status: 404,
  })
})

/** A client as the package of the imaginary vendor would have it: it sends and returns members in camelCase. */
function acmeOver(fetch: typeof globalThis.fetch, key: string) {
  const call = async (method: string, path: string, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(`http://vault${path}`, {
      method,
      headers: { 'ACME-API-KEY': key, 'ACME-MEMBERS': 'camelCase', 'Content-Type': type },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const data = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) throw Object.assign(new Error(response.statusText), { data })
    return data
  }
  return {
    tokens: {
      create: (token: object) => call('POST', '/tokens', token),
      retrieve: (id: string) => call('GET', `/tokens/${id}`),
      update: (id: string, changes: object) => call('PATCH', `/tokens/${id}`, changes),
      delete: (id: string) => call('DELETE', `/tokens/${id}`),
      search: (search: object) => call('POST', '/tokens/search', search),
    },
    tokenize: (payload: object) => call('POST', '/tokenize', payload),
    detokenize: (payload: object) => call('POST', '/detokenize', payload),
    reactors: { react: (id: string, given: object) => call('POST', `/reactors/${id}/react`, given) },
  }
}

t.test('an application of the imaginary vendor runs unchanged, outside and in a formula', async t => {
  const file = fileURLToPath(new URL('../../examples/profile/application.cjs', import.meta.url))
  const application = createRequire(import.meta.url)(file)
  const expected = {
    month: 12,
    isOwn: true,
    privacy: { classification: 'pci', impactLevel: 'moderate', restrictionPolicy: 'mask' },
    found: [1, 'c-2', 'pci'],
    contact: ['/pii/low/', 'redact', 1],
    plain: { sendTo: { emailAddress: 'ada@example.com' } },
    charged: { lastFour: '4242' },
    gone: 404,
  }
  const vault = openVault(t, { profile: example, formulaModules: [`@acme/application=${file}`] })
  const { privateKey, managementKey } = await vault.createTenant()
  const management = new Surrogate({
    apiKey: managementKey,
    fetch: vault.fetch,
    baseUrl: 'http://vault',
    headerPrefix: 'ACME',
  })
  const permissions = (['read', 'create', 'update', 'delete', 'search', 'use'] as const).map(
    one => `token:${one}` as const,
  )
  const own = await management.applications.create({
    name: 'A',
    type: 'private',
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
  })
  const reactorOf = async (code: string) => {
    const formula = await management.reactorFormulas.create({ name: 'F', type: 'private', code })
    const { id } = await management.reactors.create({ name: 'R', formula, application: { id: own.id } })
    return id
  }
  const charge = await reactorOf(
    `module.exports = async ({ args }) => ({ raw: { lastFour: args.card.number.slice(-4) } })`,
  )
  t.same(await application(acmeOver(vault.fetch, privateKey), charge), expected)
  const nested = await reactorOf(
    `module.exports = async ({ args, acme }) => ({ raw: await require('@acme/application')(acme, args.charge) })`,
  )
  const { raw } = await acmeOver(vault.fetch, privateKey).reactors.react(nested, { args: { charge } })
  t.same(raw, expected)
  const strict = openVault(t, { headerPrefix: 'ACME' })
  const tenant = await strict.createTenant()
  await t.rejects(
    application(acmeOver(strict.fetch, tenant.privateKey), charge),
    'control: without the profile',
  )
})

t.test('texts of digits are dates of cards by profile, and numbers afterwards', async t => {
  const profile = `${t.testdir({ 'a.yaml': 'dialects: [card-dates-as-text]' })}/a.yaml`
  const { send } = await openTenant(openVault(t, { profile }))
  const data = { number: '4242424242424242', expiration_month: '01', expiration_year: '2030' }
  const created = await send('POST', '/tokens', { type: 'card', data })
  t.equal(created.status, 201)
  const read = async (id: string) => (await send('GET', `/tokens/${id}`)).json.data
  t.match(await read(created.json.id), { expiration_month: 1, expiration_year: 2030 })
  const patched = await send(
    'PATCH',
    `/tokens/${created.json.id}`,
    { data: { expiration_month: '11' } },
    { 'Content-Type': 'application/merge-patch+json' },
  )
  t.equal(patched.status, 200)
  t.match(await read(created.json.id), { expiration_month: 11 })
  const { json } = await send('POST', '/tokenize', { card: { type: 'card', data } })
  t.match(await read(json.card.id), { expiration_month: 1 })
  const places = new Places(JSON.parse(readDocument(headerPrefix)))
  const describing = readOperations().filter(operation => {
    const { members } = places.ofRequest(operation)
    return members.has('type') && members.has('data')
  })
  t.ok(describing.some(({ id }) => id === 'tokens.create'))
  for (const { id, method, path } of describing) {
    const { status, text } = await send(method, path, { type: 'card', data })
    t.ok(status < 300, `each operation that takes a description of a token: ${id}`, { text })
  }
  const text = { type: 'token', data: { expiration_month: '01' } }
  t.same(await read((await send('POST', '/tokens', text)).json.id), text.data, 'only in cards')
  t.equal(
    (await send('POST', '/tokens', { type: 'card', data: { ...data, expiration_month: '13' } })).status,
    400,
  )
  t.equal(
    (await send('POST', '/tokens', { type: 'card', data: { ...data, expiration_month: 'May' } })).status,
    400,
  )
  const strict = await openTenant(openVault(t))
  t.equal(
    (await strict.send('POST', '/tokens', { type: 'card', data })).status,
    400,
    'not without the profile',
  )
})

t.test(
  'problems have the type of other responses by profile, but not for the client of formulas',
  async t => {
    const profile = `${t.testdir({ 'a.yaml': 'dialects: [problems-as-json]' })}/a.yaml`
    const code = `module.exports = async ({ svc }) => ({ raw: await svc.tokens.get('missing').catch(error => error.problem.status) })`
    for (const [given, type] of [
      [{ profile }, 'application/json'],
      [{}, 'application/problem+json'],
    ] as const) {
      const vault = openVault(t, { ...given, dev: false })
      const { send, asManagement, managementKey } = await openTenant(vault)
      const refused = await vault.fetch('http://vault/tokens/missing', {
        headers: { 'SVC-API-KEY': managementKey },
      })
      t.equal(refused.headers.get('content-type'), type)
      t.equal((await refused.json()).status, refused.status)
      t.equal((await vault.fetch('http://vault/nothing')).headers.get('content-type'), type)
      const rights = { name: 'A', type: 'private', permissions: ['token:read', 'token:use'] }
      const application = await asManagement('POST', '/applications', rights)
      const formula = await asManagement('POST', '/reactor-formulas', { name: 'F', type: 'private', code })
      const body = { name: 'R', formula: { id: formula.json.id }, application: { id: application.json.id } }
      const reactor = await asManagement('POST', '/reactors', body)
      const answer = await send('POST', `/reactors/${reactor.json.id}/react`, { args: {} })
      t.same(answer.json.raw, 404)
    }
  },
)

t.test('permissions that are not ours are kept by profile, and allow nothing', async t => {
  const profile = `${t.testdir({ 'a.yaml': 'dialects: [unknown-permissions]', 'b.yaml': 'permissions: [report:read]' })}`
  const rights = (permission: string) => ({
    name: 'A',
    type: 'private',
    permissions: [permission],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', permission] }],
  })
  for (const [file, permission, status] of [
    ['a.yaml', 'anything:at-all', 201],
    ['b.yaml', 'report:read', 201],
    ['b.yaml', 'report:write', 400],
    ['a.yaml', 'not a name', 400],
    ['a.yaml', 'log:read', 400],
    [undefined, 'report:read', 400],
  ] as const) {
    const vault = openVault(t, file === undefined ? {} : { profile: `${profile}/${file}` })
    const tenant = await openTenant(vault)
    const { status: got, json } = await tenant.asManagement('POST', '/applications', rights(permission))
    t.equal(got, status, `${file} ${permission}`)
    if (status !== 201) continue
    t.match(json, rights(permission))
    t.match((await tenant.asManagement('GET', `/applications/${json.id}`)).json, rights(permission))
    t.equal((await tenant.as(json.key)('POST', '/tokens', { type: 'token', data: 'a' })).status, 403)
  }
})

t.test('a profile says what /proxy may reach, and allows private callbacks', async t => {
  const target = createServer((request, response) => response.end(JSON.stringify({ path: request.url })))
  await once(target.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => target.close())
  const own = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  const folder = t.testdir({
    'a.yaml': `proxy_map_origins: { 'https://api.bank.example': '${own}' }\nproxy_allow_origins: [https://api.other.example]\nallow_private_callbacks: true`,
    'b.yaml': `proxy_map_origins: { 'https://api.else.example': '${own}' }`,
  })
  const given = { proxyMapOrigins: { 'https://b.example': own }, proxyAllowOrigins: ['https://c.example'] }
  t.match(withProfile({ profile: `${folder}/a.yaml`, ...given, allowPrivateCallbacks: false }), {
    proxyMapOrigins: { 'https://api.bank.example': own, 'https://b.example': own },
    proxyAllowOrigins: ['https://api.other.example', 'https://c.example'],
    allowPrivateCallbacks: true,
  })
  t.equal(withProfile({ profile: `${folder}/b.yaml` }).allowPrivateCallbacks, undefined)
  for (const [file, status] of [
    ['a.yaml', 200],
    ['b.yaml', 400],
  ] as const) {
    const { send } = await openTenant(openVault(t, { profile: `${folder}/${file}` }))
    const headers = { 'SVC-PROXY-URL': 'https://api.bank.example/charges' }
    t.equal((await send('POST', '/proxy', {}, headers)).status, status, file)
  }
})

t.test('a profile that cannot be used is refused in one sentence', async t => {
  const folder = t.testdir({
    'syntax.yaml': 'a: [',
    'list.yaml': '- a',
    'unknown.yaml': 'module: {}',
    'prefix.yaml': 'header_prefix: 1-2',
    'modules.yaml': 'modules: [a]',
    'origins.yaml': 'origins: { "https://a.test/path": "http://b.test" }',
    'private.yaml': 'proxy_allow_origins: ["http://127.0.0.1:9000"]',
    'mapped.yaml': 'proxy_map_origins: { "https://a.test": b }',
    'callbacks.yaml': 'allow_private_callbacks: "yes"',
    'dialects.yaml': 'dialects: [klingon]',
    'permissions.yaml': 'permissions: ["a b"]',
    'client.yaml': 'client: 1',
    'obeyed.yaml': 'response_headers: { X-Accel-Redirect: a }',
    'own.yaml': 'header_prefix: X\nresponse_headers: { X-Trace-Id: a }',
    'cache.yaml': 'response_headers: { Cache-Control: public }',
    'lines.yaml': 'response_headers: { X-A: "a\\nb" }',
    'twice.yaml': 'response_headers: { X-A: a, x-a: b }',
    'number.yaml': 'response_headers: { X-A: 1 }',
    'kind.yaml': 'log_entity_types: { tokens: a }',
    'same.yaml': 'log_entity_types: { token: session }',
    'kinds.yaml': 'log_entity_types: { token: "a b" }',
  })
  const refused: readonly [file: string, says: RegExp][] = [
    ['missing.yaml', /cannot be read$/],
    ['syntax.yaml', /is not YAML: /],
    ['list.yaml', /must have some of header_prefix, /],
    ['unknown.yaml', /has an unknown member module; did you mean modules\?$/],
    ['prefix.yaml', /must have as header_prefix 1 to 32 letters/],
    ['modules.yaml', /must have as modules an object of names/],
    ['origins.yaml', /has in origins https:\/\/a.test\/path, which is not an origin/],
    ['private.yaml', /has in proxy_allow_origins http:\/\/127.0.0.1:9000, which is not a public origin/],
    ['mapped.yaml', /has in proxy_map_origins b, which is not an origin/],
    ['callbacks.yaml', /must have as allow_private_callbacks true or false$/],
    [
      'dialects.yaml',
      /has an unknown dialect klingon; there are camel-case-members, card-dates-as-text, privacy, problems-as-json, unknown-permissions$/,
    ],
    ['permissions.yaml', /has in permissions a b, which is not one like report:read$/],
    ['client.yaml', /must have as client the path of a file$/],
    [
      'obeyed.yaml',
      /has in response_headers X-Accel-Redirect; a name begins with x-, and is none that others/,
    ],
    ['own.yaml', /has in response_headers X-Trace-Id; a name begins with x-/],
    ['cache.yaml', /has in response_headers Cache-Control; a name begins with x-/],
    ['lines.yaml', /must have as X-A of response_headers 1 to 200 printable ASCII characters$/],
    ['twice.yaml', /has a name of response_headers twice$/],
    ['number.yaml', /must have as response_headers an object of names such as x-version and texts$/],
    ['kind.yaml', /has in log_entity_types tokens; there are token, reactor_formula, /],
    ['same.yaml', /has in log_entity_types session, which is not a name, or one of two kinds$/],
    ['kinds.yaml', /has in log_entity_types a b, which is not a name, or one of two kinds$/],
  ]
  for (const [file, says] of refused) {
    const profile = `${folder}/${file}`
    t.throws(() => withProfile({ profile }), { name: 'ProfileError', message: says }, file)
  }
  const vault = createVault({ profile: `${folder}/missing.yaml` })
  await t.rejects(vault.ready(), ProfileError)
  await vault.close()
  t.same(withProfile({ profile: example, headerPrefix: 'OWN' }).headerPrefix, 'OWN', 'an option counts more')
})

t.test('a member in another spelling is refused under dev, and ignored otherwise', async t => {
  const vault = openVault(t)
  const { send, asManagement } = await openTenant(vault)
  const token = { type: 'token', data: { ownName: 1 }, metadata: { ownName: 'a' } }
  t.equal((await send('POST', '/tokens', { ...token, deduplicate_token: true })).status, 201)
  const refused = await send('POST', '/tokens', { ...token, deduplicateToken: true, 'search-indexes': [] })
  t.equal(refused.status, 400)
  t.same(refused.json.errors, {
    deduplicateToken: ['is spelled deduplicate_token'],
    'search-indexes': ['is spelled search_indexes'],
  })
  t.match((await send('POST', '/tokenize', { a: [{ ...token, expiresAt: 'x' }] })).json.errors, {
    'a.0.expiresAt': ['is spelled expires_at'],
  })
  const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }
  const application = { name: 'A', type: 'private', permissions: [], rules: [{ ...rule, Priority: 2 }] }
  t.match((await asManagement('POST', '/applications', application)).json.errors, {
    'rules.0.Priority': ['is spelled priority'],
  })
  t.equal((await send('POST', '/tokens', { ...token, somethingElse: true })).status, 201)
  const production = await openTenant(openVault(t, { dev: false }))
  t.equal((await production.send('POST', '/tokens', { ...token, deduplicateToken: true })).status, 201)
})
