import t from 'tap'
import { openVault, sender } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { BootstrapError } from './bootstrap.ts'

const [tenantId, otherId] = ['5b493235-6917-4307-906a-2cd6f1a90b13', '6c5a4346-7a28-4418-817b-3de7f2ba1c24']
const ids = {
  management: '00000000-0000-4000-8000-000000000001',
  private: '00000000-0000-4000-8000-000000000002',
  other: '00000000-0000-4000-8000-000000000003',
}
const keys = {
  management: 'management-key-0001',
  private: 'private-key-0000001',
  other: 'other-key-000000001',
}
const masterKey = Buffer.alloc(32, 7)

const management = {
  id: ids.management,
  name: 'Setup',
  type: 'management',
  key: keys.management,
  permissions: ['application:read', 'application:update', 'application:create', 'application:delete'],
}
const backend = {
  id: ids.private,
  name: 'Backend',
  type: 'private',
  key: keys.private,
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] }],
}
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`
const secret = whsec(24)

/** A file of one tenant with these applications. */
const file = (applications: readonly object[], more: JsonObject = {}): JsonValue => ({
  tenants: [{ id: tenantId, ...more, applications: [...applications] as JsonObject[] }],
})

type Tap = Pick<typeof t, 'teardown' | 'testdir'>

/** A server that is started again and again on one folder, each time with another file. */
function restarts(t: Tap) {
  const storage = `level:${t.testdir({})}`
  let vault: ReturnType<typeof openVault> | undefined
  return async (bootstrap?: JsonValue) => {
    await vault?.close()
    vault = openVault(t, {
      storage,
      masterKey,
      dev: false,
      ...(bootstrap === undefined ? {} : { bootstrap }),
    })
    await vault.ready()
    const started = vault
    return (key: string) => sender(started, key)
  }
}

t.test('a deployment is set up from the file', async t => {
  const vault = openVault(t, {
    bootstrap: file([management, backend], { name: 'Shop', operator: true, webhook_secret: secret }),
  })
  const { json } = await sender(vault, keys.management)('GET', '/applications')
  t.equal(json.pagination.total_items, 2)
  const seen = await sender(vault, keys.private)('GET', '/applications/key')
  const { key: _, ...shown } = backend
  t.match(seen.json, { ...shown, permissions: [], tenant_id: tenantId })
  t.notOk('key' in seen.json)
  const token = await sender(vault, keys.private)('POST', '/tokens', { type: 'token', data: 'x' })
  t.equal(token.status, 201)
  t.match(token.json, { tenant_id: tenantId, created_by: ids.private })
})

t.test('the same file again changes nothing', async t => {
  const start = restarts(t)
  const bootstrap = file([management, backend], { name: 'Shop' })
  const before = await (await start(bootstrap))(keys.management)('GET', '/applications')
  const as = await start(bootstrap)
  const after = await as(keys.management)('GET', '/applications')
  t.same(after.json, before.json)
  t.notOk('modified_at' in after.json.data[0], 'not even the time of its last change')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 200)
})

t.test('what the file names is set to what it says, and the rest is left alone', async t => {
  const start = restarts(t)
  let as = await start(file([management, backend]))
  await as(keys.private)('POST', '/tokens', { id: 'kept', type: 'token', data: 'x' })
  const made = await as(keys.management)('POST', '/applications', {
    name: 'Made',
    type: 'private',
    permissions: ['token:read'],
  })
  await as(keys.management)('PUT', `/applications/${ids.private}`, {
    name: 'Changed',
    permissions: ['token:delete'],
  })
  t.equal((await as(keys.private)('GET', '/tokens/kept')).status, 403)

  as = await start(file([{ ...backend, name: 'Renamed' }]))
  const named = await as(keys.private)('GET', '/applications/key')
  t.match(named.json, { name: 'Renamed', permissions: [], rules: backend.rules })
  t.equal(
    (await as(keys.private)('GET', '/tokens/kept')).json.data,
    'x',
    'its rights are back, the token is there',
  )
  t.equal((await as(keys.management)('GET', '/applications')).status, 200, 'the file no longer names it')
  t.equal((await as(made.json.key)('GET', '/tokens')).status, 200, 'the file never named it')

  as = await start()
  t.equal((await as(keys.private)('GET', '/tokens/kept')).status, 200, 'without a file all is as it was')
  await as(keys.management)('DELETE', `/applications/${ids.private}`)
  as = await start(file([backend]))
  t.equal(
    (await as(keys.private)('GET', '/tokens/kept')).status,
    200,
    'what was deleted and is named is back',
  )
})

t.test('a new key in the file takes the place of the old one', async t => {
  const start = restarts(t)
  let as = await start(file([management, backend]))
  const { json } = await as(keys.management)('POST', `/applications/${ids.private}/regenerate`)
  as = await start(file([backend]))
  t.equal((await as(json.key)('GET', '/tokens')).status, 401, 'the one that was made')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 200, 'the one of the file')
  as = await start(file([{ ...backend, key: 'another-key-000001' }]))
  t.equal((await as(keys.private)('GET', '/tokens')).status, 401)
  t.equal((await as('another-key-000001')('GET', '/tokens')).status, 200)
  as = await start(file([{ ...backend, id: ids.other }]))
  t.equal((await as(keys.private)('GET', '/applications/key')).json.id, ids.other, 'a key let go is free')
})

t.test('a public application of the file may hold nothing, and creates sessions', async t => {
  const start = restarts(t)
  const bare = { id: ids.other, name: 'Page', type: 'public', key: 'key-of-the-page-1' }
  const as = await start(file([backend, bare]))
  t.match((await as(bare.key)('GET', '/applications/key')).json, { permissions: [], rules: [] })
  t.equal((await as(bare.key)('POST', '/sessions')).status, 201)
  t.equal((await as(bare.key)('POST', '/tokens', { type: 'token', data: 1 })).status, 403)
})

t.test('a key that another application has is refused', async t => {
  const start = restarts(t)
  await start(file([management, backend]))
  const thief = { ...backend, id: ids.other, key: keys.management }
  await t.rejects(start({ tenants: [{ id: otherId, applications: [thief] }] } as JsonValue), {
    name: 'BootstrapError',
    message: new RegExp(ids.other),
  })
  const as = await start()
  t.match((await as(keys.management)('GET', '/applications/key')).json, {
    id: ids.management,
    tenant_id: tenantId,
  })
})

const good = file([management, backend], { name: 'Shop', operator: false, webhook_secret: secret })
const tenant = (more: JsonObject) => file([backend], more)
const application = (more: JsonObject) => file([management, { ...backend, ...more }])
const at = 'tenants.0.applications.1'
const rule = { ...backend.rules[0] } as JsonObject

const malformed: readonly [name: string, file: JsonValue, where: string][] = [
  ['a list', [], 'the file'],
  ['null', null, 'the file'],
  ['no tenants', {}, 'tenants'],
  ['tenants no list', { tenants: {} }, 'tenants'],
  ['a member not known', { tenants: [], version: 1 }, 'the file'],
  ['tenant no object', { tenants: ['x'] }, 'tenants.0'],
  ['tenant without an id', { tenants: [{ applications: [] }] }, 'tenants.0.id'],
  ['tenant id no UUID', tenant({ id: 'shop' }), 'tenants.0.id'],
  ['tenant id in upper case', tenant({ id: tenantId.toUpperCase() }), 'tenants.0.id'],
  ['tenant id of ones', tenant({ id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }), 'tenants.0.id'],
  ['tenant id of our own', tenant({ id: 'ffffffff-ffff-ffff-ffff-fffffffffffe' }), 'tenants.0.id'],
  ['tenant id of zeros', tenant({ id: '00000000-0000-0000-0000-000000000000' }), 'tenants.0.id'],
  ['tenant name a number', tenant({ name: 1 }), 'tenants.0.name'],
  ['operator a text', tenant({ operator: 'yes' }), 'tenants.0.operator'],
  ['webhook secret too short', tenant({ webhook_secret: 'whsec_c2hvcnQ=' }), 'tenants.0.webhook_secret'],
  ['webhook secret too long', tenant({ webhook_secret: whsec(65) }), 'tenants.0.webhook_secret'],
  [
    'webhook secret that is cut off',
    tenant({ webhook_secret: `whsec_${'A'.repeat(33)}` }),
    'tenants.0.webhook_secret',
  ],
  [
    'webhook secret without its padding',
    tenant({ webhook_secret: whsec(25).replaceAll('=', '') }),
    'tenants.0.webhook_secret',
  ],
  [
    'webhook secret without its prefix',
    tenant({ webhook_secret: secret.slice(6) }),
    'tenants.0.webhook_secret',
  ],
  ['tenant member not known', tenant({ colour: 'red' }), 'tenants.0'],
  ['applications no list', { tenants: [{ id: tenantId, applications: {} }] }, 'tenants.0.applications'],
  ['tenant twice', { tenants: [{ id: tenantId }, { id: tenantId }] }, 'tenants'],
  ['application no object', file([management, 1 as unknown as object]), at],
  ['application id no UUID', application({ id: '1' }), `${at}.id`],
  ['application name null', application({ name: null }), `${at}.name`],
  ['application name too long', application({ name: 'n'.repeat(201) }), `${at}.name`],
  ['type that there is not', application({ type: 'secret' }), `${at}.type`],
  ['key too short', application({ key: 'k'.repeat(15) }), `${at}.key`],
  ['key with a space', application({ key: 'sixteen or more x' }), `${at}.key`],
  ['key no text', application({ key: 1234567890123456 }), `${at}.key`],
  ['nothing held', application({ rules: [] }), `${at}.permissions`],
  ['nothing held by management', application({ type: 'management', rules: [] }), `${at}.permissions`],
  ['permission that there is not', application({ permissions: ['token:burn'] }), `${at}.permissions.0`],
  ['permission of another kind', application({ permissions: ['log:read'] }), `${at}.permissions`],
  [
    'rule without a transform',
    application({ rules: [{ ...rule, transform: null }] }),
    `${at}.rules.0.transform`,
  ],
  [
    'rule with a bad container',
    application({ rules: [{ ...rule, container: 'a' }] }),
    `${at}.rules.0.container`,
  ],
  [
    'rule with a container of 17 levels',
    application({ rules: [{ ...rule, container: `/${'a/'.repeat(17)}` }] }),
    `${at}.rules.0.container`,
  ],
  [
    '101 rules',
    application({ rules: Array.from({ length: 101 }, (_, index) => ({ ...rule, priority: index + 1 })) }),
    `${at}.rules`,
  ],
  ['one priority twice', application({ rules: [rule, rule] }), `${at}.rules.1.priority`],
  ['application member not known', application({ created_by: 'x' }), at],
  ['application expiration', application({ expires_at: 'soon' }), `${at}.expires_at`],
  ['application twice', application({ id: ids.management }), 'applications'],
  ['key twice', application({ key: keys.management }), 'applications'],
]

t.test('a file that cannot be used is refused in one sentence that says where', async t => {
  await openVault(t, { bootstrap: good }).ready()
  const deepest = { ...rule, container: `/${'a/'.repeat(16)}` }
  const most = Array.from({ length: 100 }, (_, index) => ({ ...deepest, priority: index + 1 }))
  await openVault(t, { bootstrap: application({ rules: most }) }).ready()
  for (const bytes of [25, 64]) {
    await openVault(t, { bootstrap: tenant({ webhook_secret: whsec(bytes) }) }).ready()
  }
  for (const [name, bootstrap, where] of malformed) {
    const started = openVault(t, { bootstrap }).ready()
    const error = await started.then(
      () => new Error('it was accepted'),
      (refusal: Error) => refusal,
    )
    t.type(error, BootstrapError, `${name}: ${error.message}`)
    t.equal(error.message.split(' must')[0]?.split(' ')[0], where.split(' ')[0], `${name}: ${error.message}`)
    t.notMatch(error.message, /\n|whsec_c2|sixteen/, 'one sentence, without a secret')
  }
})

t.test('null stands for what is left out', async t => {
  const vault = openVault(t, {
    bootstrap: file([
      management,
      { ...backend, permissions: null },
      { ...backend, id: ids.other, key: keys.other, permissions: ['token:read'], rules: null },
    ]),
  })
  for (const key of [keys.private, keys.other])
    t.equal((await sender(vault, key)('GET', '/tokens')).status, 200)
})
