import type { JsonObject, JsonValue } from '../base/json/json.ts'

export const [tenantId, otherId] = [
  '5b493235-6917-4307-906a-2cd6f1a90b13',
  '6c5a4346-7a28-4418-817b-3de7f2ba1c24',
]
export const ids = {
  management: '00000000-0000-4000-8000-000000000001',
  private: '00000000-0000-4000-8000-000000000002',
  other: '00000000-0000-4000-8000-000000000003',
}
export const keys = {
  management: 'management-key-0001',
  private: 'private-key-0000001',
  other: 'other-key-000000001',
}
export const masterKey = Buffer.alloc(32, 7)

export const management = {
  id: ids.management,
  name: 'Setup',
  type: 'management',
  key: keys.management,
  permissions: ['application:read', 'application:update', 'application:create', 'application:delete'],
}
export const backend = {
  id: ids.private,
  name: 'Backend',
  type: 'private',
  key: keys.private,
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:read'] }],
}
export const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`
export const secret = whsec(24)

/** A file of one tenant with these applications. */
export const file = (applications: readonly object[], more: JsonObject = {}): JsonValue => ({
  tenants: [{ id: tenantId, ...more, applications: [...applications] as JsonObject[] }],
})

/** A file with all that a tenant and its applications may have. */
export const good = file([management, backend], { name: 'Shop', operator: false, webhook_secret: secret })
export const tenant = (more: JsonObject) => file([backend], more)
export const application = (more: JsonObject) => file([management, { ...backend, ...more }])
const at = 'tenants.0.applications.1'
export const rule = { ...backend.rules[0] } as JsonObject

/** Files that are refused, and the place that the refusal names. */
export const malformed: readonly [name: string, file: JsonValue, where: string][] = [
  ['a list', [], 'the file'],
  ['null', null, 'the file'],
  ['no tenants', {}, 'tenants'],
  ['tenants no list', { tenants: {} }, 'tenants'],
  ['a member not known', { tenants: [], version: 1 }, 'version'],
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
  ['tenant member not known', tenant({ colour: 'red' }), 'tenants.0.colour'],
  ['applications no list', { tenants: [{ id: tenantId, applications: {} }] }, 'tenants.0.applications'],
  ['tenant twice', { tenants: [{ id: tenantId }, { id: tenantId }] }, 'tenants'],
  ['application no object', file([management, 1 as unknown as object]), at],
  ['application id no UUID', application({ id: '1' }), `${at}.id`],
  ['removed not true', application({ removed: 'yes' }), `${at}.removed`],
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
  ['application member not known', application({ created_by: 'x' }), `${at}.created_by`],
  ['application expiration', application({ expires_at: 'soon' }), `${at}.expires_at`],
  ['application twice', application({ id: ids.management }), 'applications'],
  ['key twice', application({ key: keys.management }), 'applications'],
]
