import { comparableId } from '../base/comparable-id.ts'
import { ErrorList } from '../base/errors.ts'
import { isSameContainer, isWithin } from '../contract/containers.ts'
import { type Dialect, isInDialect } from '../contract/dialect.ts'
import type {
  AccessCondition,
  AccessRule,
  ApplicationType,
  Permission,
  TokenPermission,
  Transform,
} from '../contract/types.ts'
import { permissionsByType, transforms } from '../generated/facts.ts'

/** Returns a rule without unknown members, which are ignored and not stored. */
// Requirements: ACC-543
export function plainRule(rule: AccessRule): AccessRule {
  const { description, priority, container, conditions, transform, permissions } = rule
  return {
    ...(typeof description === 'string' ? { description } : {}),
    priority,
    ...(typeof container === 'string'
      ? { container }
      : {
          conditions: (conditions ?? []).map(
            ({ attribute, operator, value }) => ({ attribute, operator, value }) as AccessCondition,
          ),
        }),
    transform,
    permissions,
  }
}

/** The rights of an application, or the grants of a session. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
}

/** The object of a decision: a token, or one about to be made. */
export interface Subject {
  readonly id: string
  readonly containers: readonly string[]
}

/** A refusal names the container that no rule covers. */
export type Decision =
  | { readonly allowed: true; readonly transform: Transform }
  | { readonly allowed: false; readonly container: string }

export function holdsAnywhere(rights: Rights, permission: Permission): boolean {
  return (
    rights.permissions.includes(permission) ||
    rights.rules.some(rule => rule.permissions.some(one => one === permission))
  )
}

/** Lower than that of every rule that can be written. */
const directPriority = Number.POSITIVE_INFINITY

/** True if the rule represents a permission that is held directly. */
export function isDirect(rule: AccessRule): boolean {
  return rule.priority === directPriority
}

/** Returns the rules in the order of their priority. A permission held directly is a last rule on `/` that masks. */
// Requirements: ACC-504, AUT-018
export function rulesFor(rights: Rights, permission: TokenPermission): AccessRule[] {
  const asked = rights.rules
    .filter(rule => rule.permissions.includes(permission))
    .sort((a, b) => a.priority - b.priority)
  if (!rights.permissions.includes(permission)) return asked
  const direct: AccessRule = {
    priority: directPriority,
    container: '/',
    transform: 'mask',
    permissions: [permission],
  }
  return [...asked, direct]
}

/**
 * Returns a function that decides about one subject after another: by the first matching rule for each of its
 * containers. Without a rule for one of them, access is denied; otherwise the strictest transform counts.
 */
// Requirements: ACC-501, ACC-502, ACC-503, ACC-505, ACC-544, AUT-017, AUT-019
export function deciderOf(rights: Rights, permission: TokenPermission): (subject: Subject) => Decision {
  const rules = rulesFor(rights, permission)
  return ({ id, containers }) => {
    // A token always has a container. One without would not be covered by any rule.
    if (containers.length === 0) return { allowed: false, container: 'no container' }
    let transform: Transform = 'reveal'
    for (const container of containers) {
      const found = rules.find(rule => matches(rule, id, container))
      if (!found) return { allowed: false, container }
      transform = strictest(transform, found.transform)
    }
    return { allowed: true, transform }
  }
}

/** True if a rule covers a token with this id in this container. */
export function matches(rule: AccessRule, id: string, container: string): boolean {
  if (typeof rule.container === 'string') return isWithin(container, rule.container)
  return (rule.conditions ?? []).every(condition => holds(condition, id, container))
}

function holds(condition: AccessCondition, id: string, container: string): boolean {
  if (condition.attribute === 'id') return comparableId(condition.value) === comparableId(id)
  return condition.operator === 'equals'
    ? isSameContainer(container, condition.value)
    : isWithin(container, condition.value)
}

// Requirements: ACC-505
export function strictest(a: Transform, b: Transform): Transform {
  return transforms.indexOf(a) < transforms.indexOf(b) ? a : b
}

/**
 * Checks what the schema cannot express: that there are permissions or rules, except for a public application, which can
 * create sessions without any; that this type of application may hold them; that priorities are unique.
 * @throws {ServiceError} validation
 */
// Requirements: APP-507, APP-511
export function checkRights(type: ApplicationType, rights: Rights, dialect?: Dialect): void {
  const errors = new ErrorList()
  // Requirements: SES-007, SES-018
  if (type !== 'public' && rights.permissions.length === 0 && rights.rules.length === 0) {
    errors.add('permissions', 'must not be empty when rules is empty too')
  }
  const refuse = (path: string, permission: Permission) => {
    const held: readonly Permission[] = permissionsByType[type]
    if (dialect && isInDialect(dialect, permission)) return
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
