import { ErrorList } from '../base/error-list.ts'
import type { ApplicationType, Permission } from '../contract/types.ts'
import { permissionsByType } from '../generated/facts.ts'
import type { Rights } from './rules.ts'

/**
 * Checks what the schema cannot express: that there are permissions or rules, that this type of application may hold
 * them, that priorities are unique.
 * @throws {ServiceError} validation
 */
// Requirements: APP-507
export function checkRights(type: ApplicationType, rights: Rights): void {
  const errors = new ErrorList()
  // Requirements: SES-007
  if (rights.permissions.length === 0 && rights.rules.length === 0) {
    errors.add('permissions', 'or rules must not be empty')
  }
  const refuse = (path: string, permission: Permission) => {
    const held: readonly Permission[] = permissionsByType[type]
    if (!held.includes(permission)) errors.add(path, `${permission} cannot be held by a ${type} application`)
  }
  for (const permission of rights.permissions) refuse('permissions', permission)
  const priorities = new Set<number>()
  for (const [index, rule] of rights.rules.entries()) {
    if (priorities.has(rule.priority)) errors.add(`rules.${index}.priority`, 'must be unique among the rules')
    priorities.add(rule.priority)
    for (const permission of rule.permissions) refuse(`rules.${index}.permissions`, permission)
  }
  errors.refuseIfAny('the permissions or rules are not valid')
}
