import t from 'tap'
import {
  makeFormula,
  makeReactor,
  makeToken,
  openReactors,
  reactorOn,
} from '../../../verify/support/reactors.ts'
import { openTenant, type Send, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'

/**
 * A repeated request with an idempotency key gets the response that it would get today, by today's rights. Each refusal
 * comes after the same replay was answered.
 */
const vault = openReactors(t)
const keyed = { 'SVC-IDEMPOTENCY-KEY': 'one' }
const card = { type: 'card', data: { number: '4242424242424242' } }
const rule = (container: string, permissions: string[], transform = 'mask', priority = 1) => ({
  priority,
  container,
  transform,
  permissions,
})

type Application = Send & { readonly id: string }

/** Gives an application other rules. */
async function change(tenant: TestTenant, { id }: Application, rules: JsonObject[]): Promise<void> {
  const reply = await tenant.asManagement('PUT', `/applications/${id}`, { name: 'A', rules })
  if (reply.status !== 200) throw new Error(reply.text)
}

const both = [rule('/a/', ['token:create']), rule('/b/', ['token:create'], 'mask', 2)]
const onlyB = [rule('/b/', ['token:create'])]

t.test('a repeated create returns the token as it is now, and never more than its mask', async t => {
  const tenant = await openTenant(vault)
  const reveals = await tenant.application({ rules: [rule('/a/', ['token:create'], 'reveal')] })
  const send = () => reveals('POST', '/tokens', { ...card, containers: ['/a/'] }, keyed)
  const first = await send()
  t.equal(first.json.data.number, 'XXXXXXXXXXXX4242')
  const second = await send()
  t.equal(second.status, 201)
  t.same(second.json, first.json)

  const patch = { data: { number: '5555555555554444' }, metadata: { a: 'b' } }
  await tenant.send('PATCH', `/tokens/${first.json.id}`, patch)
  t.match((await send()).json, {
    data: { number: 'XXXXXXXXXXXX4444' },
    metadata: { a: 'b' },
    modified_at: /Z$/,
  })

  await change(tenant, reveals, [rule('/a/', ['token:create'], 'redact')])
  t.notOk('data' in (await send()).json, "today's transform counts")
  await tenant.send('DELETE', `/tokens/${first.json.id}`)
  t.match(await send(), { status: 404, json: { type: 'urn:surrogate:error:not_found' } })
})

t.test('a create asks for token:create again, on the containers of today', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({ rules: both })
  const send = () => creator('POST', '/tokens', { type: 'token', data: 'x', containers: ['/a/'] }, keyed)
  const { id } = (await send()).json
  await change(tenant, creator, onlyB)
  const refused = await send()
  t.equal(refused.status, 403)
  t.notMatch(refused.text, id)
  await tenant.send('PATCH', `/tokens/${id}`, { containers: ['/b/'] })
  t.equal((await send()).status, 201, 'it may create where the token is now')
  await change(tenant, creator, both)
  t.equal((await send()).status, 201)
})

t.test('a repeated create of an expired token is a 404, swept or not', async t => {
  const own = openReactors(t)
  const tenant = await openTenant(own)
  const expires_at = new Date((await own.clock.now()) + 60_000).toISOString()
  const send = () => tenant.send('POST', '/tokens', { type: 'token', data: 'x', expires_at }, keyed)
  t.equal((await send()).status, 201)
  await own.clock.advance(30_000)
  t.equal((await send()).status, 201)
  await own.clock.advance(30_000)
  t.equal((await send()).status, 404)
})

t.test(
  'a repeated create that returned a duplicate checks the same rights, and returns the duplicate as it is now',
  async t => {
    const tenant = await openTenant(vault)
    const original = await makeToken(tenant, { ...card, metadata: { a: 'b' }, containers: ['/b/'] })
    const wanted = { ...card, deduplicate_token: true, containers: ['/a/'] }
    for (const [path, body] of [
      ['/tokens', wanted],
      ['/tokenize', [wanted]],
    ] as const) {
      const creator = await tenant.application({ rules: [...both, rule('/b/', ['token:read'], 'mask', 3)] })
      const send = async () => {
        const { status, json } = await creator('POST', path, body as JsonValue, keyed)
        return { status, token: path === '/tokens' ? json : json[0] }
      }
      const first = await send()
      t.match(first, { status: 200, token: { id: original, metadata: { a: 'b' } } }, path)
      t.same(await send(), first, path)
      await change(tenant, creator, both)
      const { token } = await send()
      t.equal(token.id, original)
      t.notOk('metadata' in token || 'data' in token, 'without token:read on it nothing of what it holds')
      await change(tenant, creator, onlyB)
      t.equal((await send()).status, 403, 'without token:create where the new one was to be')
    }
    await tenant.send('DELETE', `/tokens/${original}`)
  },
)

t.test('a payload asks for token:create again on the container of each token', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({
    rules: [...both, rule('/general/', ['token:create'], 'mask', 3)],
  })
  const token = (container: string) => ({ type: 'token', data: container, containers: [container] })
  const send = () => creator('POST', '/tokenize', { a: token('/a/'), b: [token('/b/'), 'bare'] }, keyed)
  const first = await send()
  t.equal(first.status, 200)
  t.same((await send()).json, first.json)
  await change(tenant, creator, both)
  t.equal((await send()).status, 403, 'not even an id is shown')
  await change(tenant, creator, [...onlyB, rule('/general/', ['token:create'], 'mask', 3)])
  t.equal((await send()).status, 403)
})

t.test('a repeated update that returned a duplicate needs the token that was to be updated', async t => {
  const tenant = await openTenant(vault)
  await makeToken(tenant, { data: 'x' })
  const id = await makeToken(tenant, { data: 'y', containers: ['/a/'] })
  const onOriginal = rule('/general/', ['token:update'], 'mask', 2)
  const rights = { rules: [rule('/a/', ['token:update']), onOriginal] }
  const updater = await tenant.application(rights)
  const send = () => updater('PATCH', `/tokens/${id}`, { deduplicate_token: true }, keyed)
  t.equal((await send()).status, 200)
  const copy = (value: string) => tenant.send('PATCH', `/tokens/${id}`, { data: value })
  await copy('y')
  const doubles = () => updater('PATCH', `/tokens/${id}`, { data: 'x' }, { 'SVC-IDEMPOTENCY-KEY': 'doubles' })
  const first = await doubles()
  t.equal(first.status, 200, first.text)
  t.not(first.json.id, id, 'the original')
  t.same((await doubles()).json, first.json)
  await change(tenant, updater, [rule('/b/', ['token:update']), onOriginal])
  t.equal((await doubles()).status, 403)
  await change(tenant, updater, [rule('/a/', ['token:update'])])
  t.equal((await doubles()).status, 403, 'and the original')
  await change(tenant, updater, rights.rules)
  await tenant.send('DELETE', `/tokens/${id}`)
  t.equal((await doubles()).status, 404)
})

t.test('an invocation asks again for its reactor, and for token:use of the tokens that are left', async t => {
  const tenant = await openTenant(vault)
  const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
    module.exports = ({ args }) => {
      if (args.choose) throw new CustomHttpResponseError({ status: 201, body: args })
      return { raw: args, tokenize: args.make ? [{ type: 'card', data: { number: '4242424242424242' } }, 'bare'] : undefined }
    }`
  const used = await makeToken(tenant, { data: 's3cret', containers: ['/a/'] })
  const rules = [rule('/a/', ['token:use']), rule('/b/', ['token:use'], 'mask', 2)]
  for (const args of [{ choose: true }, { make: true }, {}]) {
    const user = await tenant.application({ rules })
    const react = await reactorOn(tenant, code)
    const send = () => user('POST', react.path, { args: { ...args, secret: `{{ ${used} }}` } }, keyed)
    const first = await send()
    t.match(first.text, /s3cret/)
    t.equal((await send()).text, first.text)
    await change(tenant, user, [rule('/b/', ['token:use'])])
    const refused = await send()
    t.equal(refused.status, 403, JSON.stringify(args))
    t.notMatch(refused.text, /s3cret/)
    await change(tenant, user, rules)
    t.equal((await send()).text, first.text)
    await tenant.asManagement('DELETE', `/reactors/${react.id}`)
    t.equal((await send()).status, 404)
  }

  const react = await reactorOn(tenant, code)
  const make = (key: string) =>
    react({ args: { make: true, secret: `{{ ${used} }}` } }, { 'SVC-IDEMPOTENCY-KEY': key })
  const { json } = await make('used up')
  const other = (await make('bare gone')).json
  await tenant.send('DELETE', `/tokens/${used}`)
  t.same((await make('used up')).json, json, 'a token that was used up asks for nothing')
  await tenant.send('DELETE', `/tokens/${json.tokens[0].id}`)
  t.equal((await make('used up')).status, 404, 'a token that it made is gone')
  await tenant.send('DELETE', `/tokens/${other.tokens[1]}`)
  t.equal((await make('bare gone')).status, 404, 'if only an id stood for it')
})

t.test('a repeated create of an application returns its key while it is current', async t => {
  const tenant = await openTenant(vault)
  const body = { name: 'A', type: 'private', permissions: ['token:read'] }
  const create = () => tenant.asManagement('POST', '/applications', body, keyed)
  const first = await create()
  t.same((await create()).json, first.json)
  const path = `/applications/${first.json.id}`
  await tenant.asManagement('PUT', path, { ...body, name: 'B' })
  t.match((await create()).json, { name: 'B', key: first.json.key })

  const regenerate = (key: string) =>
    tenant.asManagement('POST', `${path}/regenerate`, undefined, { 'SVC-IDEMPOTENCY-KEY': key })
  const second = await regenerate('two')
  t.equal(second.status, 200)
  t.same((await regenerate('two')).json, second.json)
  t.match(await create(), { status: 404, json: { detail: /another key/ } })
  const third = await regenerate('three')
  t.equal((await regenerate('two')).status, 404)
  t.same((await regenerate('three')).json, third.json)
  await tenant.asManagement('DELETE', path)
  for (const again of [create, () => regenerate('three')]) t.equal((await again()).status, 404)
})

t.test('repeated requests for a formula and a reactor return them as they are now, or 404', async t => {
  const tenant = await openTenant(vault)
  const formula = { name: 'F', type: 'private', code: '1' }
  const makeOne = () => tenant.asManagement('POST', '/reactor-formulas', formula, keyed)
  const { id } = (await makeOne()).json
  await tenant.asManagement('PUT', `/reactor-formulas/${id}`, { ...formula, name: 'G' })
  t.match(await makeOne(), { status: 201, json: { id, name: 'G' } })

  const reactor = { name: 'R', configuration: {}, formula: { id } }
  const configure = () => tenant.asManagement('POST', '/reactors', reactor, { 'SVC-IDEMPOTENCY-KEY': 'two' })
  const made = (await configure()).json
  const patch = () =>
    tenant.asManagement('PATCH', `/reactors/${made.id}`, { name: 'S' }, { 'SVC-IDEMPOTENCY-KEY': 'three' })
  for (const _ of [1, 2]) t.match(await patch(), { status: 204, text: '' })
  t.match(await configure(), { status: 201, json: { id: made.id, name: 'S' } })
  await tenant.asManagement('DELETE', `/reactors/${made.id}`)
  await tenant.asManagement('DELETE', `/reactor-formulas/${id}`)
  for (const again of [makeOne, configure, patch]) t.equal((await again()).status, 404)
})

t.test('a repeated create of a session returns its present end, until it has ended', async t => {
  const own = openReactors(t)
  const tenant = await openTenant(own)
  const create = () => tenant.asPublic('POST', '/sessions', undefined, keyed)
  const first = await create()
  t.equal(first.status, 201)
  t.same((await create()).json, first.json)
  const end = new Date((await own.clock.now()) + 3_600_000).toISOString()
  const grant = { nonce: first.json.nonce, permissions: ['token:read'], expires_at: end }
  const authorize = () => tenant.send('POST', '/sessions/authorize', grant, keyed)
  for (const _ of [1, 2]) t.match(await authorize(), { status: 200, text: '' })
  t.same((await create()).json, { ...first.json, expires_at: end })
  await own.clock.advance(1_800_000)
  t.same([(await create()).status, (await authorize()).status], [201, 200])
  await own.clock.advance(1_800_000)
  t.same([(await create()).status, (await authorize()).status], [404, 404])
})

t.test('a receipt contains no data of a token', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, 'module.exports = () => ({})')
  await makeReactor(tenant, formula.id)
  const body = { type: 'token', data: 'x'.repeat(100_000), mask: '{{ data }}' }
  const first = await tenant.send('POST', '/tokens', body, keyed)
  t.equal(first.json.data.length, 100_000)
  await tenant.send('PATCH', `/tokens/${first.json.id}`, { data: 'y' })
  t.equal((await tenant.send('POST', '/tokens', body, keyed)).json.data, 'y')
})
