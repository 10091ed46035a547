import fc from 'fast-check'
import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type Reply, type Send, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { openAuthorized, openSession } from './_fixture.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', cvc: '123' }

async function store(tenant: TestTenant, body: JsonObject): Promise<string> {
  const { status, json, text } = await tenant.send('POST', '/tokens', { type: 'card', data: card, ...body })
  if (status !== 201) throw new Error(text)
  return json.id
}

t.test('a refusal says which of the two is missing', async t => {
  const tenant = await openTenant(vault)
  const id = await store(tenant, { containers: ['/c/'] })
  const onA = {
    priority: 1,
    container: '/a/',
    transform: 'mask',
    permissions: ['token:read', 'token:update'],
  }
  const own = await tenant.application({ rules: [onA] })
  const everywhere = await openAuthorized(tenant, { permissions: ['token:read', 'token:update'] }, own)
  const onlyA = await openAuthorized(tenant, { rules: [{ ...onA, permissions: ['token:read'] }] })
  const detail = async ({ send }: typeof onlyA, method: string, body?: JsonObject) =>
    (await send(method, `/tokens/${id}`, body)).json.detail
  const read = 'gives token:read on /c/'
  t.ok((await detail(onlyA, 'GET')).includes(`no access rule ${read}`))
  const limited = `no access rule of the application that authorized the session ${read}`
  t.ok((await detail(everywhere, 'GET')).includes(limited))
  t.match(await detail(onlyA, 'PATCH', {}), 'the session was not granted token:update')
  await tenant.asManagement('PUT', `/applications/${own.id}`, { name: 'Own', permissions: ['token:read'] })
  const lost = 'the application that authorized the session does not hold token:update'
  t.match(await detail(everywhere, 'PATCH', {}), lost)
})

t.test('a session manages nothing, whatever it was granted', async t => {
  const tenant = await openTenant(vault)
  const { send } = await openAuthorized(tenant, { permissions: ['token:create', 'token:read'] })
  const calls: [method: string, path: string, body?: JsonObject][] = [
    ['GET', '/applications/key'],
    ['GET', '/applications'],
    ['GET', '/logs'],
    ['POST', '/sessions'],
    ['POST', '/sessions/authorize', { nonce: 'x', permissions: ['token:read'] }],
  ]
  for (const [method, path, body] of calls)
    t.equal((await send(method, path, body)).status, 403, `${method} ${path}`)
  t.equal((await send('GET', '/tokens')).status, 200)
})

t.test('a session reaches nothing of another tenant', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const id = await store(other, {})
  const { send } = await openAuthorized(tenant, { permissions: ['token:read'] })
  t.equal((await send('GET', `/tokens/${id}`)).status, 404)
  t.equal((await other.send('GET', `/tokens/${id}`)).status, 200)
})

t.test('what a formula makes for a session belongs to its public application', async t => {
  const tenant = await openTenant(vault)
  const { path } = await reactorOn(tenant, "module.exports = () => ({ tokenize: { made: 'x' } })")
  const { send } = await openAuthorized(tenant, { permissions: ['token:use'] })
  const { json } = await send('POST', path, {})
  const { id: creator } = (await tenant.asPublic('GET', '/applications/key')).json
  t.equal((await tenant.send('GET', `/tokens/${json.tokens.made}`)).json.created_by, creator)
})

const container = fc.constantFrom('/', '/a/', '/a/b/', '/b/')
const condition = fc.oneof(
  fc.record({
    attribute: fc.constant('id'),
    operator: fc.constant('equals'),
    value: fc.constantFrom('token-0', 'token-1', 'token-2'),
  }),
  fc.record({
    attribute: fc.constant('container'),
    operator: fc.constantFrom('equals', 'starts_with'),
    value: container,
  }),
)
const permission = fc.constantFrom('token:read', 'token:search')
const named = fc.oneof(
  fc.record({ container }),
  fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 2 }) }),
)
const rules = fc
  .array(
    fc.tuple(
      named,
      fc.constantFrom('redact', 'mask', 'reveal'),
      fc.uniqueArray(permission, { minLength: 1 }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(list =>
    list.map(([name, transform, permissions], index) => ({
      ...name,
      transform,
      permissions,
      priority: index + 1,
    })),
  )
const rights = fc.record({ permissions: fc.uniqueArray(permission), rules })
const places = fc.array(fc.uniqueArray(container, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
})

/** Returns the names on a page that holds everything; `undefined` if the caller may not ask. */
function idsOf({ status, json }: Reply): string[] | undefined {
  if (status === 403) return undefined
  t.equal(json.pagination.total_items, json.data.length)
  return json.data.map((token: { id: string }) => token.id).sort()
}

t.test('a session sees what both grant and authorizer see, as the grant shows it', async t => {
  await fc.assert(
    fc.asyncProperty(rights, rights, places, async (grant, own, containers) => {
      const tenant = await openTenant(vault)
      const ids = containers.map((_, index) => `token-${index}`)
      for (const [index, id] of ids.entries())
        await store(tenant, { id, containers: containers[index] as JsonValue })
      const authorizer = await tenant.application(own as JsonObject)
      // An application with exactly the rights that are granted: what the session would be without a limit.
      const twin = await tenant.application(grant as JsonObject)
      const session = await openSession(tenant)
      const { status } = await session.authorize(grant as JsonObject, authorizer)
      const held = (of: typeof own) => [...of.permissions, ...of.rules.flatMap(rule => rule.permissions)]
      const grantable = held(grant).every(one => held(own).includes(one))
      t.equal(status, grantable ? 200 : 403)
      if (!grantable) return

      const visible: string[] = []
      for (const id of ids) {
        const [mine, granted, limit] = [
          await session.send('GET', `/tokens/${id}`),
          await twin('GET', `/tokens/${id}`),
          await authorizer('GET', `/tokens/${id}`),
        ]
        const allowed = granted.status === 200 && limit.status === 200
        t.equal(mine.status, allowed ? 200 : 403)
        if (!allowed) continue
        visible.push(id)
        t.same(mine.json.data, granted.json.data)
      }
      const finders: ((send: Send) => Promise<Reply>)[] = [
        send => send('GET', '/tokens'),
        send => send('POST', '/tokens/search', { query: 'type:card' }),
      ]
      for (const find of finders) {
        const found = async (send: Send) => idsOf(await find(send))
        const [mine, granted, limit] = [await found(session.send), await found(twin), await found(authorizer)]
        t.same(mine, granted && limit && granted.filter(id => limit.includes(id)))
      }
      t.same(idsOf(await session.send('GET', '/tokens')) ?? [], visible)
    }),
    { numRuns: 60 },
  )
})
