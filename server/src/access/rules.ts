import type {
  AccessCondition,
  AccessRule,
  Permission,
  TokenPermission,
  Transform,
} from '../contract/types.ts'
import { transforms } from '../generated/facts.ts'
import { isSameContainer, isWithin } from './containers.ts'

/** Returns a rule without unknown members, which are ignored and not stored. */
// Requirements: ACC-543
export function plainRule(rule: AccessRule): AccessRule {
  const { description, priority, container, conditions, transform, permissions } = rule
  return {
    ...(typeof description === 'string' ? { description } : {}),
    priority,
    ...(typeof container === 'string'
      ? { container }
      : { conditions: (conditions ?? []).map(plainCondition) }),
    transform,
    permissions,
  }
}

function plainCondition({ attribute, operator, value }: AccessCondition): AccessCondition {
  return { attribute, operator, value } as AccessCondition
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

/** A refusal names the container that no rule covers, for `--dev`. */
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
// Requirements: ACC-504
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
 * Decides by the first matching rule for each container of the subject. Without a rule for one of them, access is denied;
 * otherwise the strictest transform counts.
 */
// Requirements: ACC-501, ACC-502, ACC-503, ACC-505, ACC-544
export function decide(rights: Rights, permission: TokenPermission, subject: Subject): Decision {
  // A token always has a container. One without would not be covered by any rule.
  if (subject.containers.length === 0) return { allowed: false, container: 'no container' }
  const rules = rulesFor(rights, permission)
  let transform: Transform = 'reveal'
  for (const container of subject.containers) {
    const rule = decidingRule(rules, subject.id, container)
    if (!rule) return { allowed: false, container }
    transform = strictest(transform, rule.transform)
  }
  return { allowed: true, transform }
}

/** Returns the first of the ordered rules that covers a token with this id in this container. */
export function decidingRule(
  rules: readonly AccessRule[],
  id: string,
  container: string,
): AccessRule | undefined {
  return rules.find(candidate => matches(candidate, id, container))
}

/** True if a rule covers a token with this id in this container. */
export function matches(rule: AccessRule, id: string, container: string): boolean {
  if (typeof rule.container === 'string') return isWithin(container, rule.container)
  return (rule.conditions ?? []).every(condition => holds(condition, id, container))
}

function holds(condition: AccessCondition, id: string, container: string): boolean {
  if (condition.attribute === 'id') return condition.value === id
  return condition.operator === 'equals'
    ? isSameContainer(container, condition.value)
    : isWithin(container, condition.value)
}

// Requirements: ACC-505
export function strictest(a: Transform, b: Transform): Transform {
  return transforms.indexOf(a) < transforms.indexOf(b) ? a : b
}
