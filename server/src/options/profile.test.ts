import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { Surrogate } from '../../../sdk/src/index.ts'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type Reply, sender } from '../../verify/support/vault.ts'
import { readOperations } from '../contract/backend.ts'
import { readDocument } from '../contract/contract.ts'
import { ContractMembers } from '../contract/members.ts'
import { headerPrefix } from '../generated/facts.ts'
import { createVault, type Vault } from '../vault.ts'
import { ProfileError } from './errors.ts'
import { withProfile } from './profile.ts'

const example = fileURLToPath(new URL('../../examples/profile/acme.yaml', import.meta.url))
const number = '4242424242424242'

/** Writes a profile. Returns its path. */
const profileOf = (t: Pick<Test, 'testdir'>, text: string) => `${t.testdir({ 'a.yaml': text })}/a.yaml`

/** Opens a server that replies with the path of each request. Returns its origin. */
async function openEcho(t: Test): Promise<string> {
  const server = createServer((request, response) => response.end(JSON.stringify({ path: request.url })))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The client of the imaginary vendor with a management key, and reactors on code. */
function managementOf(vault: Vault, managementKey: string) {
  const { applications, reactorFormulas, reactors } = new Surrogate({
    apiKey: managementKey,
    fetch: vault.fetch,
    baseUrl: 'http://vault',
    headerPrefix: 'ACME',
  })
  const reactorOf = async (code: string, application: string) => {
    const formula = await reactorFormulas.create({ name: 'F', type: 'private', code })
    return (await reactors.create({ name: 'R', formula, application: { id: application } })).id
  }
  return { applications, reactorOf }
}

t.test('the guide and the README show the example', async t => {
  for (const file of ['guide/profile.md', 'README.md']) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    t.equal(/```yaml\n([\s\S]*?)```/.exec(text)?.[1], readFileSync(example, 'utf8'), file)
  }
})

t.test('code of an imaginary vendor runs unchanged', async t => {
  const bank = { 'https://api.bank.example': await openEcho(t) }
  const vault = openVault(t, { profile: example, formulaMapOrigins: bank })
  const { privateKey, managementKey } = await vault.createTenant({ operator: true })
  const send = (key: string, path: string, body: object): Promise<Reply> =>
    sender(vault, undefined)('POST', path, body as never, { 'ACME-API-KEY': key })
  const permissions = ['token:read', 'token:create', 'report:read']
  const made = await send(managementKey, '/applications', { name: 'Reports', type: 'private', permissions })
  t.equal(made.status, 201)
  t.same(made.json.permissions, permissions)
  t.ok(made.headers.get('ACME-TRACE-ID'))
  const code = `
      const { demand } = require('@acme/checks')
      module.exports = async ({ args, acme }) => {
        const card = await acme.tokens.create({ type: 'card', data: demand(args, 'card'), deduplicateToken: true })
        const { data } = await acme.tokens.retrieve('11111111-1111-4111-8111-111111111111').catch(error => error)
        const { pagination } = await acme.tokens.list()
        const answer = await (await fetch('https://api.bank.example/charges')).json()
        return { raw: { createdBy: card.createdBy, month: card.data.expiration_month, status: data.status, title: typeof data.title, total: pagination.totalItems, answer } }
      }`
  const reactor = await managementOf(vault, managementKey).reactorOf(code, made.json.id)
  const invoke = (args: object) => send(privateKey, `/reactors/${reactor}/react`, { args })
  const answer = await invoke({ card: { number, expiration_month: '12', expiration_year: '2030' } })
  t.equal(answer.status, 200)
  t.same(answer.json.raw, {
    createdBy: made.json.id,
    month: 12,
    status: 404,
    title: 'string',
    total: 1,
    answer: { path: '/charges' },
  })
  t.match(await invoke({}), { status: 400, json: { errors: { 'args.card': ['is missing'] } } })
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
  const { applications, reactorOf } = managementOf(vault, managementKey)
  const permissions = (['read', 'create', 'update', 'delete', 'search', 'use'] as const).map(
    one => `token:${one}` as const,
  )
  const own = await applications.create({
    name: 'A',
    type: 'private',
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
  })
  const charge = await reactorOf(
    `module.exports = async ({ args }) => ({ raw: { lastFour: args.card.number.slice(-4) } })`,
    own.id,
  )
  t.same(await application(acmeOver(vault.fetch, privateKey), charge), expected)
  const nested = await reactorOf(
    `module.exports = async ({ args, acme }) => ({ raw: await require('@acme/application')(acme, args.charge) })`,
    own.id,
  )
  const { raw } = await acmeOver(vault.fetch, privateKey).reactors.react(nested, { args: { charge } })
  t.same(raw, expected)
  const strict = openVault(t, { headerPrefix: 'ACME' })
  const acme = acmeOver(strict.fetch, (await strict.createTenant()).privateKey)
  await t.rejects(application(acme, charge), 'control: without the profile')
})

t.test('texts of digits are dates of cards by profile, and numbers afterwards', async t => {
  const profile = profileOf(t, 'dialects: [card-dates-as-text]')
  const { send } = await openTenant(openVault(t, { profile }))
  const data = { number, expiration_month: '01', expiration_year: '2030' }
  const create = (more: object) => send('POST', '/tokens', { type: 'card', data: { ...data, ...more } })
  const read = async (id: string) => (await send('GET', `/tokens/${id}`)).json.data
  const { id } = (await create({})).json
  t.match(await read(id), { expiration_month: 1, expiration_year: 2030 })
  const patched = await send('PATCH', `/tokens/${id}`, { data: { expiration_month: '11' } })
  t.equal(patched.status, 200)
  t.match(await read(id), { expiration_month: 11 })
  const { json } = await send('POST', '/tokenize', { card: { type: 'card', data } })
  t.match(await read(json.card.id), { expiration_month: 1 })
  const places = new ContractMembers(JSON.parse(readDocument(headerPrefix)))
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
  for (const expiration_month of ['13', 'May']) t.equal((await create({ expiration_month })).status, 400)
  const strict = await openTenant(openVault(t))
  const refused = await strict.send('POST', '/tokens', { type: 'card', data })
  t.equal(refused.status, 400, 'not without the profile')
})

t.test('problems have the type of other responses by profile, but not for formulas', async t => {
  const profile = profileOf(t, 'dialects: [problems-as-json]')
  const code = `module.exports = async ({ svc }) => ({ raw: await svc.tokens.get('missing').catch(error => error.problem.status) })`
  for (const [given, type] of [
    [{ profile }, 'application/json'],
    [{}, 'application/problem+json'],
  ] as const) {
    const vault = openVault(t, { ...given, dev: false })
    const tenant = await openTenant(vault)
    for (const send of [tenant.asManagement, tenant.as(undefined)]) {
      const { status, headers, json } = await send('GET', '/tokens/missing')
      t.equal(headers.get('content-type'), type)
      t.equal(json.status, status)
    }
    const { id } = await tenant.application({ permissions: ['token:read', 'token:use'] })
    const react = await reactorOn(tenant, code, { reactor: { application: { id } } })
    t.same((await react({ args: {} })).json.raw, 404)
  }
})

t.test('permissions that are not ours are kept by profile, and allow nothing', async t => {
  for (const [text, permission, status] of [
    ['dialects: [unknown-permissions]', 'anything:at-all', 201],
    ['permissions: [report:read]', 'report:read', 201],
    ['permissions: [report:read]', 'report:write', 400],
    ['dialects: [unknown-permissions]', 'not a name', 400],
    ['dialects: [unknown-permissions]', 'log:read', 400],
    ['permissions: []', 'report:read', 400],
  ] as const) {
    const tenant = await openTenant(openVault(t, { profile: profileOf(t, text) }))
    const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', permission] }
    const rights = { name: 'A', type: 'private', permissions: [permission], rules: [rule] }
    const { status: got, json } = await tenant.asManagement('POST', '/applications', rights)
    t.equal(got, status, `${text} ${permission}`)
    if (status !== 201) continue
    t.match(json, rights)
    t.match((await tenant.asManagement('GET', `/applications/${json.id}`)).json, rights)
    t.equal((await tenant.as(json.key)('POST', '/tokens', { type: 'token', data: 'a' })).status, 403)
  }
})

t.test('a profile says what /proxy may reach, and allows private callbacks', async t => {
  const own = await openEcho(t)
  const profile = profileOf(
    t,
    `proxy_map_origins: { 'https://api.bank.example': '${own}' }
proxy_allow_origins: [https://api.other.example]
allow_private_callbacks: true`,
  )
  const given = { proxyMapOrigins: { 'https://b.example': own }, proxyAllowOrigins: ['https://c.example'] }
  t.match(withProfile({ profile, ...given, allowPrivateCallbacks: false }), {
    proxyMapOrigins: { 'https://api.bank.example': own, 'https://b.example': own },
    proxyAllowOrigins: ['https://api.other.example', 'https://c.example'],
    allowPrivateCallbacks: true,
  })
  t.equal(withProfile({ profile: example }).allowPrivateCallbacks, undefined)
  const { send } = await openTenant(openVault(t, { profile }))
  for (const [origin, status] of [
    ['https://api.bank.example', 200],
    ['https://api.else.example', 400],
  ] as const)
    t.equal((await send('POST', '/proxy', {}, { 'SVC-PROXY-URL': `${origin}/charges` })).status, status)
})

t.test('a profile that cannot be used is refused in one sentence', async t => {
  const dialects = 'camel-case-members, card-dates-as-text, privacy, problems-as-json, unknown-permissions'
  for (const [text, says] of [
    ['a: [', /is not YAML: /],
    ['- a', /must have some of header_prefix, /],
    ['module: {}', /has an unknown member module; did you mean modules\?$/],
    ['header_prefix: 1-2', /is not valid: header_prefix must be 1 to 32 letters/],
    ['modules: [a]', /modules must be an object of names/],
    [
      'origins: { "https://a.test/path": "http://b.test" }',
      /origins must be an object of origins such as .*; "https:\/\/a.test\/path" is not one$/,
    ],
    [
      'proxy_allow_origins: ["http://127.0.0.1:9000"]',
      /proxy_allow_origins must be a list of public origins .*; proxy_map_origins may lead to those; "http:\/\/127.0.0.1:9000" is not one$/,
    ],
    [
      'proxy_map_origins: { "https://a.test": b }',
      /proxy_map_origins must be an object of origins such as .*; "b" is not one$/,
    ],
    ['allow_private_callbacks: "yes"', /allow_private_callbacks must be true or false$/],
    ['dialects: [klingon]', new RegExp(`dialects must be a list of ${dialects}; "klingon" is not one$`)],
    ['permissions: ["a b"]', /permissions must be a list of permissions like report:read; "a b" is not one$/],
    ['client: 1', /client must be the path of a file$/],
    [
      'response_headers: { X-Accel-Redirect: a }',
      /has in response_headers x-accel-redirect, which others act upon/,
    ],
    [
      'header_prefix: X\nresponse_headers: { X-Trace-Id: a }',
      /has in response_headers x-trace-id, which others act upon/,
    ],
    [
      'response_headers: { Cache-Control: public }',
      /names such as x-version, which begin with x-, .*; "Cache-Control" is not one$/,
    ],
    [
      'response_headers: { X-A: "a\\nb" }',
      /response_headers must be .* 1 to 200 printable ASCII characters; "X-A" is not one$/,
    ],
    ['response_headers: { X-A: a, x-a: b }', /has a name of response_headers twice$/],
    [
      'response_headers: { X-A: 1 }',
      /response_headers must be .* 1 to 200 printable ASCII characters; "X-A" is not one$/,
    ],
    [
      'log_entity_types: { tokens: a }',
      /log_entity_types must be an object of names such as vault-token, for token, reactor_formula, .*; "tokens" is not one$/,
    ],
    [
      'log_entity_types: { token: session }',
      /has in log_entity_types session, which is the name of two kinds$/,
    ],
    [
      'log_entity_types: { token: "a b" }',
      /log_entity_types must be an object of names such as .*; "token" is not one$/,
    ],
  ] as const) {
    const refusal = { name: 'ProfileError', message: says }
    t.throws(() => withProfile({ profile: profileOf(t, text) }), refusal, text)
  }
  const vault = createVault({ profile: `${t.testdir()}/missing.yaml` })
  const error = await vault.ready().catch(error => error)
  t.ok(error instanceof ProfileError)
  t.match(error.message, /cannot be read$/)
  await vault.close()
  t.same(withProfile({ profile: example, headerPrefix: 'OWN' }).headerPrefix, 'OWN', 'an option counts more')
})

t.test('a member in another spelling is refused under dev, and ignored otherwise', async t => {
  const { send, asManagement } = await openTenant(openVault(t))
  const token = { type: 'token', data: { ownName: 1 }, metadata: { ownName: 'a' } }
  const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'], Priority: 2 }
  const application = { name: 'A', type: 'private', permissions: [], rules: [rule] }
  for (const [reply, errors] of [
    [
      await send('POST', '/tokens', { ...token, deduplicateToken: true, 'search-indexes': [] }),
      { deduplicateToken: ['is spelled deduplicate_token'], 'search-indexes': ['is spelled search_indexes'] },
    ],
    [
      await send('POST', '/tokenize', { a: [{ ...token, expiresAt: 'x' }] }),
      { 'a.0.expiresAt': ['is spelled expires_at'] },
    ],
    [
      await asManagement('POST', '/applications', application),
      { 'rules.0.Priority': ['is spelled priority'] },
    ],
  ] as const) {
    t.equal(reply.status, 400)
    t.same(reply.json.errors, errors)
  }
  for (const more of [{ deduplicate_token: true }, { somethingElse: true }])
    t.equal((await send('POST', '/tokens', { ...token, ...more })).status, 201)
  const production = await openTenant(openVault(t, { dev: false }))
  t.equal((await production.send('POST', '/tokens', { ...token, deduplicateToken: true })).status, 201)
})
