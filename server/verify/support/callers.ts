import type { JsonObject } from '../../src/base/json/json.ts'

/** The tenants and keys of measurements and long runs as a bootstrap file: the same after each start and each reset. */
const allOf = (kind: string, actions: string) => actions.split(' ').map(action => `${kind}:${action}`)
const tokens = allOf('token', 'create read search update delete use')

export const keys = {
  /** Has all token permissions, with a rule that reveals. */
  private: 'key_prv_0123456789abcdefghijklmn',
  /** Reads with a rule that masks, which writes nothing to the audit log. */
  masked: 'key_prv_masked0123456789abcdefgh',
  /** Searches with a rule that masks, in one container and below. */
  restricted: 'key_prv_restricted0123456789abcd',
  public: 'key_pub_0123456789abcdefghijklmn',
  management: 'key_mgt_0123456789abcdefghijklmn',
  /** Of another tenant. */
  other: 'key_prv_other0123456789abcdefghi',
} as const

/** Any 32 bytes, but the same at every start on a folder. */
export const masterKey = Buffer.alloc(32, 'bench').toString('base64')

/** Returns an application with rights of its own. Its name is that of its key. */
function application(name: keyof typeof keys, rights: JsonObject): JsonObject {
  const number = Object.keys(keys).indexOf(name) + 1
  const type = { prv: 'private', pub: 'public', mgt: 'management' }[keys[name].slice(4, 7)] ?? ''
  return { id: `${number}a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10`, name, type, key: keys[name], ...rights }
}

export const bootstrap = {
  tenants: [
    {
      id: '4bd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Bench',
      applications: [
        application('private', {
          rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: tokens }],
        }),
        application('masked', { permissions: ['token:read', 'token:search'] }),
        application('restricted', {
          rules: [{ priority: 1, container: '/g3/', transform: 'mask', permissions: ['token:search'] }],
        }),
        application('public', { permissions: ['token:create'] }),
        application('management', { permissions: allOf('reactor', 'create read update delete') }),
      ],
    },
    {
      id: '9cd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Other',
      applications: [application('other', { permissions: tokens })],
    },
  ],
}
