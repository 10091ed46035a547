/** The tenants and keys of the fuzz as a bootstrap file: the same after each start and each reset. */
const tokenPermissions = [
  'token:create',
  'token:read',
  'token:search',
  'token:update',
  'token:delete',
  'token:use',
]

export const keys = {
  private: 'key_prv_fuzz0123456789abcdefghij',
  masked: 'key_prv_fuzzmasked0123456789abcd',
  restricted: 'key_prv_fuzzrestricted0123456789',
  public: 'key_pub_fuzz0123456789abcdefghij',
  management: 'key_mgt_fuzz0123456789abcdefghij',
  operator: 'key_mgt_fuzzoperator0123456789ab',
  other: 'key_prv_fuzzother0123456789abcde',
} as const

export const bootstrap = {
  tenants: [
    {
      id: '4bd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Fuzz',
      applications: [
        {
          id: '1a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Private',
          type: 'private',
          key: keys.private,
          permissions: tokenPermissions,
          rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: tokenPermissions }],
        },
        {
          id: '2a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Masked',
          type: 'private',
          key: keys.masked,
          permissions: tokenPermissions,
        },
        {
          id: '3a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Restricted',
          type: 'private',
          key: keys.restricted,
          rules: [
            { priority: 1, container: '/restricted/', transform: 'redact', permissions: tokenPermissions },
            {
              priority: 2,
              conditions: [{ attribute: 'container', operator: 'starts_with', value: '/pci/' }],
              transform: 'mask',
              permissions: ['token:read', 'token:search'],
            },
          ],
        },
        {
          id: '4a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Public',
          type: 'public',
          key: keys.public,
          permissions: ['token:create', 'token:update'],
        },
        {
          id: '5a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Management',
          type: 'management',
          key: keys.management,
          permissions: [
            ...['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete'],
            ...[
              'application:create',
              'application:read',
              'application:update',
              'application:delete',
              'log:read',
            ],
          ],
        },
      ],
    },
    {
      id: '9cd0a9f2-51c7-4e03-8f6a-2d7c1b9e3a50',
      name: 'Operator',
      operator: true,
      applications: [
        {
          id: '6a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Management',
          type: 'management',
          key: keys.operator,
          permissions: ['reactor:create', 'reactor:read', 'reactor:update', 'reactor:delete'],
        },
        {
          id: '7a0f5a1c-9e0b-4c55-9a7d-6f5a4b3c2d10',
          name: 'Private',
          type: 'private',
          key: keys.other,
          permissions: tokenPermissions,
        },
      ],
    },
  ],
}
