/** The tenants and keys of a long run as a bootstrap file: the same after each start and each reset. */
const allOf = (kind: string, actions: string) => actions.split(' ').map(action => `${kind}:${action}`)
const tokens = allOf('token', 'create read search update delete use')
const reactors = allOf('reactor', 'create read update delete')

export const keys = {
  private: 'key_prv_fuzz0123456789abcdefghij',
  masked: 'key_prv_fuzzmasked0123456789abcd',
  restricted: 'key_prv_fuzzrestricted0123456789',
  public: 'key_pub_fuzz0123456789abcdefghij',
  management: 'key_mgt_fuzz0123456789abcdefghij',
  operator: 'key_mgt_fuzzoperator0123456789ab',
  other: 'key_prv_fuzzother0123456789abcde',
} as const

/** Returns an application with rights of its own. Its name is that of its key. */
function application(name: keyof typeof keys, rights: { permissions?: string[]; rules?: object[] }) {
  const number = Object.keys(keys).indexOf(name) + 1
  const type = { prv: 'private', pub: 'public', mgt: 'management' }[keys[name].slice(4, 7)]
  return { id: `${number}a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10`, name, type, key: keys[name], ...rights }
}

const everything = { priority: 1, container: '/', transform: 'reveal', permissions: tokens }
const restrictions = [
  { priority: 1, container: '/restricted/', transform: 'redact', permissions: tokens },
  {
    ...{ priority: 2, transform: 'mask', permissions: ['token:read', 'token:search'] },
    conditions: [{ attribute: 'container', operator: 'starts_with', value: '/pci/' }],
  },
]

export const bootstrap = {
  tenants: [
    {
      id: '4bd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Fuzz',
      applications: [
        application('private', { permissions: tokens, rules: [everything] }),
        application('masked', { permissions: tokens }),
        application('restricted', { rules: restrictions }),
        application('public', { permissions: ['token:create', 'token:update'] }),
        application('management', {
          permissions: [...reactors, ...allOf('application', 'create read update delete'), 'log:read'],
        }),
      ],
    },
    {
      id: '9cd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Operator',
      operator: true,
      applications: [
        application('operator', { permissions: reactors }),
        application('other', { permissions: tokens }),
      ],
    },
  ],
}
