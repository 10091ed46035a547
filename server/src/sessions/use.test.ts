import fc from 'fast-check'
import t from 'tap'
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

t.test('a permission granted directly masks, a rule shows what it says', async t => {
  const tenant = await openTenant(vault)
  const id = await store(tenant, {})
  const granted = async (grant: JsonObject) =>
    (await (await openAuthorized(tenant, grant)).send('GET', `/tokens/${id}`)).json.data
  t.same(await granted({ permissions: ['token:read'] }), { number: 'XXXXXXXXXXXX4242' })
  for (const [transform, data] of [
    ['reveal', card],
    ['mask', { number: 'XXXXXXXXXXXX4242' }],
    ['redact', undefined],
  ] as const) {
    const rule = { priority: 1, container: '/', transform, permissions: ['token:read'] }
    t.same(await granted({ rules: [rule] }), data, transform)
  }
})

t.test('the transform is the grant’s, not the authorizer’s', async t => {
  const tenant = await openTenant(vault)
  const id = await store(tenant, {})
  const masking = await tenant.application({ permissions: ['token:read'] })
  t.same(
    (await masking('GET', `/tokens/${id}`)).json.data,
    { number: 'XXXXXXXXXXXX4242' },
    'it sees it masked',
  )
  const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }
  const session = await openAuthorized(tenant, { rules: [rule] }, masking)
  t.same((await session.send('GET', `/tokens/${id}`)).json.data, card, 'and can let others see it whole')
  const list = await session.send('GET', '/tokens')
  t.same(list.json.data[0].data, card)
})

t.test('a rule with a condition opens one token and no other', async t => {
  const tenant = await openTenant(vault)
  const [shown, other] = [await store(tenant, {}), await store(tenant, {})]
  const conditions = [{ attribute: 'id', operator: 'equals', value: shown }]
  const { send } = await openAuthorized(tenant, {
    rules: [{ priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }],
  })
  t.same((await send('GET', `/tokens/${shown}`)).json.data, card)
  t.equal((await send('GET', `/tokens/${other}`)).status, 403)
  const { json } = await send('GET', '/tokens')
  t.equal(json.pagination.total_items, 1)
  t.same(
    json.data.map((token: { id: string }) => token.id),
    [shown],
  )
})

t.test('what a session may do elsewhere ends where its authorizer’s own rights end', async t => {
  const tenant = await openTenant(vault)
  const inside = await store(tenant, { containers: ['/a/b/'] })
  const outside = await store(tenant, { containers: ['/c/'] })
  const both = await store(tenant, { containers: ['/a/', '/c/'] })
  const all = ['token:create', 'token:read', 'token:update', 'token:delete', 'token:use']
  const own = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: all }],
  })
  const rule = { priority: 1, container: '/', transform: 'reveal', permissions: all }
  const { send } = await openAuthorized(tenant, { rules: [rule] }, own)
  const create = (containers: string[]) => send('POST', '/tokens', { type: 'token', data: 1, containers })
  for (const [what, id, status] of [
    ['inside', inside, 200],
    ['outside', outside, 403],
    ['in both', both, 403],
  ] as const) {
    t.equal((await send('GET', `/tokens/${id}`)).status, status, `read ${what}`)
    t.equal((await send('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } })).status, status, `update ${what}`)
    t.equal((await send('POST', '/detokenize', { x: `{{ ${id} }}` })).status, status, `use ${what}`)
  }
  t.equal((await create(['/a/x/'])).status, 201)
  t.equal((await create(['/c/'])).status, 403)
  t.equal((await create(['/a/', '/c/'])).status, 403)
  t.equal((await send('PATCH', `/tokens/${inside}`, { containers: ['/c/'] })).status, 403, 'nor be moved out')
  t.equal((await send('DELETE', `/tokens/${outside}`)).status, 403)
  t.equal((await send('DELETE', `/tokens/${inside}`)).status, 204)
  t.equal((await send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('the authorizer’s rights are those of the moment', async t => {
  const tenant = await openTenant(vault)
  const id = await store(tenant, { containers: ['/a/'] })
  const own = await tenant.application({ permissions: ['token:read', 'token:update'] })
  const { send } = await openAuthorized(tenant, { permissions: ['token:read', 'token:update'] }, own)
  const set = (rights: JsonObject) =>
    tenant.asManagement('PUT', `/applications/${own.id}`, { name: 'Own', ...rights })
  const read = async () => (await send('GET', `/tokens/${id}`)).status
  t.equal(await read(), 200)
  await set({ permissions: ['token:update'] })
  t.equal(await read(), 403, 'what it loses, its sessions lose')
  t.equal((await send('GET', '/tokens')).status, 403)
  t.equal((await send('PATCH', `/tokens/${id}`, { metadata: null })).status, 200, 'the rest stays')
  await set({ rules: [{ priority: 1, container: '/b/', transform: 'mask', permissions: ['token:read'] }] })
  t.equal(await read(), 403)
  t.equal((await send('GET', '/tokens')).json.pagination.total_items, 0)
  await set({ permissions: ['token:read', 'token:update', 'token:delete'] })
  t.equal(await read(), 200, 'what it gets back, they get back')
  t.equal((await send('DELETE', `/tokens/${id}`)).status, 403, 'but no more than they were granted')
})

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

t.test('what a session makes belongs to its public application, and the log names the session', async t => {
  const tenant = await openTenant(vault)
  const { id: creator } = (await tenant.asPublic('GET', '/applications/key')).json
  const { send } = await openAuthorized(tenant, { permissions: ['token:create', 'token:update'] })
  const { json: token } = await send('POST', '/tokens', { type: 'card', data: card })
  t.equal(token.created_by, creator)
  t.same(token.data, { number: 'XXXXXXXXXXXX4242' })
  t.equal((await send('PATCH', `/tokens/${token.id}`, { metadata: {} })).json.modified_by, creator)
  const { json: ids } = await send('POST', '/tokenize', { a: 'x' })
  t.equal((await tenant.send('GET', `/tokens/${ids.a}`)).json.created_by, creator)

  const log = async (query: string) => (await tenant.asManagement('GET', `/logs?${query}`)).json.data
  const [created] = (await log('entity_type=session')).slice(-1)
  for (const entry of await log(`entity_type=token&entity_id=${token.id}`)) {
    t.match(entry, { actor_type: 'session', actor_id: created.entity_id }, entry.operation)
  }
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
  for (const [method, path, body] of calls) {
    t.equal((await send(method, path, body)).status, 403, `${method} ${path}`)
  }
  t.equal((await send('GET', '/tokens')).status, 200)
})

t.test('a session reaches nothing of another tenant', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const id = await store(other, {})
  const { send } = await openAuthorized(tenant, { permissions: ['token:read'] })
  t.equal((await send('GET', `/tokens/${id}`)).status, 404)
  t.equal((await other.send('GET', `/tokens/${id}`)).status, 200)
})

t.test('a key that was changed in one place is not valid', async t => {
  const tenant = await openTenant(vault)
  const session = await openSession(tenant)
  t.equal((await session.send('GET', '/tokens')).status, 403, 'control: known, without rights')
  const changed = session.key.slice(0, -1) + (session.key.endsWith('A') ? 'B' : 'A')
  t.equal((await tenant.as(changed)('GET', '/tokens')).status, 401)
  t.equal((await tenant.as(session.nonce)('GET', '/tokens')).status, 401, 'nor is the nonce one')
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
