import type { ApplicationType, Permission, PermissionDescription } from '../contract/types.ts'
import { permissionDescriptions, permissions, permissionsByType } from '../generated/facts.ts'

const holders = Object.entries(permissionsByType) as readonly [ApplicationType, readonly Permission[]][]

/** Returns all permissions, with the types of application that may hold them. */
// Requirements: APP-543
export function describePermissions(): PermissionDescription[] {
  return permissions.map(type => ({
    type,
    description: permissionDescriptions[type],
    application_types: holders.filter(([, held]) => held.includes(type)).map(([kind]) => kind),
  }))
}
