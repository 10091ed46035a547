import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { type ApplicationType, mayHold, type Permission, tokenPermissions } from './permissions.ts'
import type { Rights } from './rules.ts'

/**
 * What the shape alone cannot say of permissions and rules: that there are any, that this kind of
 * application may hold them, that priorities are unique.
 * @throws {ServiceError} validation
 */
// Requirements: APP-507
export function checkRights(type: ApplicationType, rights: Rights): void {
  const errors: FieldErrors = {}
  const note = (path: string, message: string) => {
    const messages = errors[path] ?? []
    messages.push(message)
    errors[path] = messages
  }
  // Requirements: SES-007
  if (rights.permissions.length === 0 && rights.rules.length === 0) {
    note('permissions', 'or rules must not be empty')
  }
  const refuse = (path: string, permission: Permission) => {
    if (!mayHold(type, permission)) note(path, `${permission} cannot be held by a ${type} application`)
  }
  for (const permission of rights.permissions) refuse('permissions', permission)
  const priorities = new Set<number>()
  for (const [index, rule] of rights.rules.entries()) {
    if (priorities.has(rule.priority)) note(`rules.${index}.priority`, 'must be unique among the rules')
    priorities.add(rule.priority)
    for (const permission of rule.permissions) {
      refuse(`rules.${index}.permissions`, permission)
      if (!tokenPermissions.includes(permission)) {
        note(`rules.${index}.permissions`, `${permission} is not about tokens: hold it in permissions`)
      }
    }
  }
  if (Object.keys(errors).length > 0) {
    throw new ServiceError('validation', 'the permissions or rules are not valid', { errors })
  }
}
