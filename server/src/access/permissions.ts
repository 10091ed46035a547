export const applicationTypes = ['public', 'private', 'management'] as const
export type ApplicationType = (typeof applicationTypes)[number]

/** Every permission, and which kinds of application may hold it. */
// Requirements: APP-502
export const permissionHolders = {
  'token:create': ['public', 'private'],
  'token:update': ['public', 'private'],
  'token:read': ['private'],
  'token:search': ['private'],
  'token:delete': ['private'],
  'token:use': ['private'],
  'reactor:create': ['management'],
  'reactor:read': ['management'],
  'reactor:update': ['management'],
  'reactor:delete': ['management'],
  'application:create': ['management'],
  'application:read': ['management'],
  'application:update': ['management'],
  'application:delete': ['management'],
  'log:read': ['management'],
} as const satisfies Record<string, readonly ApplicationType[]>

export type Permission = keyof typeof permissionHolders

export const permissions = Object.keys(permissionHolders) as Permission[]

/** Permissions that are about tokens, and so can be given by a rule on containers or granted to a session. */
export const tokenPermissions = permissions.filter(permission => permission.startsWith('token:'))

export function mayHold(type: ApplicationType, permission: Permission): boolean {
  return (permissionHolders[permission] as readonly ApplicationType[]).includes(type)
}

export function permissionsOf(type: ApplicationType): Permission[] {
  return permissions.filter(permission => mayHold(type, permission))
}
