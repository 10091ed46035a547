import t, { type Test } from 'tap'
import { openTenant, openVault, type Send, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import { openSession } from './_fixture.ts'

const vault = openVault(t)
const hour = 3_600_000

interface Refusal {
  readonly name: string
  readonly refused: JsonObject
  readonly control: JsonObject
  readonly status: number
  readonly code: string
  readonly at?: string
}

const invalid = { status: 400, code: 'validation' }
const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }
const onId = { attribute: 'id', operator: 'equals', value: 'some-id' }
const onContainer = { attribute: 'container', operator: 'starts_with', value: '/a/' }
const rules = (...given: object[]) => ({ rules: given.map(one => ({ ...rule, ...one })) as JsonObject[] })
const read = { permissions: ['token:read'] }
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const ending = (expires_at: string | number) => ({ ...read, expires_at })

/**
 * Each is refused, leaves the nonce as it was, and the control, which differs in one thing, then succeeds. Made when a
 * test begins: times are relative to now.
 */
const refusals = (): readonly Refusal[] => [
  { name: 'nothing granted', refused: {}, control: read, ...invalid, at: 'permissions' },
  {
    name: 'both lists empty',
    refused: { permissions: [], rules: [] },
    control: { permissions: [], rules: [rule] },
    ...invalid,
    at: 'permissions',
  },
  {
    name: 'both lists null',
    refused: { permissions: null, rules: null },
    control: { permissions: ['token:read'], rules: null },
    ...invalid,
    at: 'permissions',
  },
  {
    name: 'a permission that is none',
    refused: { permissions: ['token:reed'] },
    control: read,
    ...invalid,
    at: 'permissions.0',
  },
  ...['reactor:read', 'application:create', 'log:read'].map(permission => ({
    name: `a permission that is not about tokens: ${permission}`,
    refused: { permissions: ['token:read', permission] },
    control: read,
    ...invalid,
    at: 'permissions.1',
  })),
  {
    name: 'one in a rule, too',
    refused: rules({ permissions: ['reactor:read'] }),
    control: rules({}),
    ...invalid,
    at: 'rules.0.permissions.0',
  },
  {
    name: 'permissions that are not a list',
    refused: { permissions: 'token:read' },
    control: read,
    ...invalid,
    at: 'permissions',
  },
  {
    name: 'a rule with container and conditions',
    refused: rules({ conditions: [onId] }),
    control: rules({}),
    ...invalid,
    at: 'rules.0.container',
  },
  {
    name: 'a rule with neither',
    refused: rules({ container: null }),
    control: rules({ container: null, conditions: [onId] }),
    ...invalid,
    at: 'rules.0.container',
  },
  {
    name: 'a container that is none',
    refused: rules({ container: 'a' }),
    control: rules({ container: '/a/' }),
    ...invalid,
    at: 'rules.0.container',
  },
  {
    name: 'a container that is too deep',
    refused: rules({ container: `/${'a/'.repeat(17)}` }),
    control: rules({ container: `/${'a/'.repeat(16)}` }),
    ...invalid,
    at: 'rules.0.container',
  },
  {
    name: 'a condition on a container that is too long',
    refused: rules({ container: null, conditions: [{ ...onContainer, value: `/${'a'.repeat(249)}/` }] }),
    control: rules({ container: null, conditions: [{ ...onContainer, value: `/${'a'.repeat(248)}/` }] }),
    ...invalid,
    at: 'rules.0.conditions.0.value',
  },
  {
    name: '11 conditions',
    refused: rules({ container: null, conditions: Array.from({ length: 11 }, () => onId) }),
    control: rules({ container: null, conditions: Array.from({ length: 10 }, () => onId) }),
    ...invalid,
    at: 'rules.0.conditions',
  },
  {
    name: '101 rules',
    refused: rules(...Array.from({ length: 101 }, (_, index) => ({ priority: index + 1 }))),
    control: rules(...Array.from({ length: 100 }, (_, index) => ({ priority: index + 1 }))),
    ...invalid,
    at: 'rules',
  },
  {
    name: '21 permissions',
    refused: { permissions: Array.from({ length: 21 }, () => 'token:read') },
    control: { permissions: Array.from({ length: 20 }, () => 'token:read') },
    ...invalid,
    at: 'permissions',
  },
  {
    name: '21 permissions in a rule',
    refused: rules({ permissions: Array.from({ length: 21 }, () => 'token:read') }),
    control: rules({ permissions: Array.from({ length: 20 }, () => 'token:read') }),
    ...invalid,
    at: 'rules.0.permissions',
  },
  {
    name: 'a condition on something else',
    refused: rules({ container: null, conditions: [{ ...onId, attribute: 'type' }] }),
    control: rules({ container: null, conditions: [onId] }),
    ...invalid,
    at: 'rules.0.conditions.0.attribute',
  },
  {
    name: 'a transform that is none',
    refused: rules({ transform: 'show' }),
    control: rules({ transform: 'reveal' }),
    ...invalid,
    at: 'rules.0.transform',
  },
  {
    name: 'a rule without permissions',
    refused: rules({ permissions: [] }),
    control: rules({}),
    ...invalid,
    at: 'rules.0.permissions',
  },
  {
    name: 'two rules of one priority',
    refused: rules({}, { container: '/a/' }),
    control: rules({}, { container: '/a/', priority: 2 }),
    ...invalid,
    at: 'rules.1.priority',
  },
  {
    name: 'an end that cannot be read',
    refused: ending('soon'),
    control: ending(inMs(hour)),
    ...invalid,
    at: 'expires_at',
  },
  {
    name: 'an end that is a number',
    refused: ending(1),
    control: ending(inMs(hour)),
    ...invalid,
    at: 'expires_at',
  },
  {
    name: 'an end in the past',
    refused: ending(inMs(-1000)),
    control: ending(inMs(60_000)),
    ...invalid,
    at: 'expires_at',
  },
  {
    name: 'an end after more than a day',
    refused: ending(inMs(24 * hour + 60_000)),
    control: ending(inMs(24 * hour - 60_000)),
    ...invalid,
    at: 'expires_at',
  },
  {
    name: 'a nonce that there is not',
    refused: { ...read, nonce: 'nonce_of_nobody' },
    control: read,
    status: 404,
    code: 'not_found',
  },
  { name: 'no nonce', refused: { ...read, nonce: null }, control: read, ...invalid, at: 'nonce' },
  { name: 'an empty nonce', refused: { ...read, nonce: '' }, control: read, ...invalid, at: 'nonce' },
  {
    name: 'a nonce that is a number',
    refused: { ...read, nonce: 1 },
    control: read,
    ...invalid,
    at: 'nonce',
  },
]

for (const { name } of refusals()) {
  t.test(`refused: ${name}`, async t => {
    const { refused, control, status, code, at } = refusals().find(one => one.name === name) as Refusal
    const tenant = await openTenant(vault)
    const session = await openSession(tenant)
    const reply = await session.authorize(refused)
    t.equal(reply.status, status, reply.text)
    t.equal(reply.json.type, `urn:surrogate:error:${code}`)
    if (at !== undefined) t.ok(at in reply.json.errors, `${at} in ${JSON.stringify(reply.json.errors)}`)
    t.equal((await session.send('GET', '/tokens')).status, 403, 'nothing is granted by halves')
    const allowed = await session.authorize(control)
    t.equal(allowed.status, 200, allowed.text)
    t.equal(allowed.text, '', 'there is no body')
  })
}

t.test('only a private application of the same tenant authorizes', async t => {
  const tenant = await openTenant(vault)
  const stranger = await openTenant(vault)
  const session = await openSession(tenant)
  const authorized = await openSession(tenant)
  t.equal((await authorized.authorize({ permissions: ['token:create', 'token:read'] })).status, 200)
  const callers: [string, Send, number][] = [
    ['public', tenant.asPublic, 403],
    ['management', tenant.asManagement, 403],
    ['nobody', tenant.as(undefined), 401],
    ['the session itself', session.send, 403],
    ['another session', authorized.send, 403],
    ['another tenant', stranger.send, 404],
  ]
  for (const [who, send, status] of callers) {
    t.equal((await session.authorize(read, send)).status, status, who)
  }
  t.equal((await session.authorize(read)).status, 200, 'control: its own private application')
})

const holdings: readonly [
  name: string,
  authorizer: JsonObject,
  grant: JsonObject,
  control: JsonObject,
  at: string,
][] = [
  [
    'a permission that the authorizer holds nowhere',
    read,
    { permissions: ['token:read', 'token:delete'] },
    read,
    'permissions',
  ],
  [
    'the same in a rule',
    read,
    rules({}, { priority: 2, permissions: ['token:use'] }),
    rules({}, { priority: 2, permissions: ['token:read'] }),
    'rules.1.permissions',
  ],
]
for (const [name, authorizer, grant, control, at] of holdings) {
  t.test(`refused: granting ${name}`, async t => {
    const tenant = await openTenant(vault)
    const session = await openSession(tenant)
    const own = await tenant.application(authorizer)
    const reply = await session.authorize(grant, own)
    t.equal(reply.status, 403)
    t.same(Object.keys(reply.json.errors), [at])
    t.equal((await session.send('GET', '/tokens')).status, 403)
    t.equal((await session.authorize(control, own)).status, 200, 'the nonce is still good')
  })
}

t.test('what the authorizer holds in one place only can be granted', async t => {
  const tenant = await openTenant(vault)
  const session = await openSession(tenant)
  const own = await tenant.application(rules({ container: '/a/' }))
  t.equal((await session.authorize(read, own)).status, 200)
})

async function expectEnd(
  t: Test,
  tenant: TestTenant,
  expires_at: string | null | undefined,
  livesMs: number,
) {
  const session = await openSession(tenant)
  const { status } = await session.authorize(expires_at === undefined ? read : { ...read, expires_at })
  t.equal(status, 200)
  return async (own: typeof vault) => {
    await own.clock.advance(livesMs - 1)
    t.equal((await session.send('GET', '/tokens')).status, 200, `${expires_at}: just before`)
    await own.clock.advance(1)
    const over = await session.send('GET', '/tokens')
    t.equal(over.status, 401, `${expires_at}: at its end`)
    t.equal(over.json.detail, 'the session is over, or its key is unknown; create another session')
  }
}

for (const [expires_at, livesMs] of [
  [undefined, 180_000],
  [null, 180_000],
  ['2030-01-01T00:00:01Z', 1000],
  ['2030-01-01T00:03:01Z', 181_000],
  ['2030-01-01T05:00:00+05:00', undefined],
  ['2030-01-02T00:00:00Z', 24 * hour],
  ['2030-01-02', 24 * hour],
  ['2030-01-02T01:00:00+01:00', 24 * hour],
  ['2030-01-02T00:00:00.001Z', undefined],
] as const) {
  t.test(`authorized to ${expires_at}, a session ends then`, async t => {
    const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
    const tenant = await openTenant(own)
    if (livesMs !== undefined) return (await expectEnd(t, tenant, expires_at, livesMs))(own)
    const session = await openSession(tenant)
    t.equal((await session.authorize({ ...read, expires_at })).status, 400)
  })
}

t.test('a nonce is over with its session', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const [late, inTime] = [await openSession(tenant), await openSession(tenant)]
  await own.clock.advance(180_000 - 1)
  t.equal((await inTime.authorize({ ...read, expires_at: '2030-01-01T01:00:00Z' })).status, 200)
  await own.clock.advance(1)
  t.equal((await late.authorize(read)).status, 404)
  t.equal((await late.send('GET', '/tokens')).status, 401, 'and its key, which never did anything')
  t.equal(
    (await inTime.send('GET', '/tokens')).status,
    200,
    'a longer life begins before the end of the short',
  )
  t.equal((await inTime.authorize(read)).status, 409)
})

t.test('the audit log says who created a session and who authorized it, or tried to', async t => {
  const tenant = await openTenant(vault)
  const weak = await tenant.application(read)
  const session = await openSession(tenant)
  t.equal((await session.authorize({ permissions: ['token:delete'] }, weak)).status, 403)
  // Refusals are written after the response; reading the log waits for them.
  await tenant.asManagement('GET', '/logs')
  t.equal((await session.authorize(read, weak)).status, 200)
  const { id: creator } = (await tenant.asPublic('GET', '/applications/key')).json
  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=session')).json
  const shown = data.map(({ operation, actor_id, actor_type, outcome }: Record<string, string>) => ({
    operation,
    actor_id,
    actor_type,
    outcome,
  }))
  const by = { actor_type: 'application', outcome: 'success' }
  t.same(shown, [
    { operation: 'session:authorize', actor_id: weak.id, ...by },
    { operation: 'session:authorize', actor_id: weak.id, ...by, outcome: 'refused' },
    { operation: 'session:create', actor_id: creator, ...by },
  ])
  t.equal(data[0].entity_id, data[2].entity_id)
  t.notOk('entity_id' in data[1])
  const text = JSON.stringify(data)
  for (const secret of [session.key, session.nonce]) t.notOk(text.includes(secret))
})
