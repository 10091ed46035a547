import type {
  AccessCondition,
  AccessRule,
  Permission,
  TokenPermission,
  Transform,
} from '../contract/types.ts'
import { transforms } from '../generated/facts.ts'
import { isSameContainer, isWithin } from './containers.ts'

/** A rule without members that are no part of one: what is not known is ignored, not kept. */
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

/** What an application holds, or what a session was granted. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
}

/** What rules look at: a token, or one about to be made. */
export interface Subject {
  readonly id: string
  readonly containers: readonly string[]
}

/** The verdict, and for `--dev` which rule spoke or which container was without one. */
export type Decision =
  | { readonly allowed: true; readonly transform: Transform }
  | { readonly allowed: false; readonly container: string }

export function holdsAnywhere(rights: Rights, permission: Permission): boolean {
  return (
    rights.permissions.includes(permission) ||
    rights.rules.some(rule => rule.permissions.some(one => one === permission))
  )
}

/** Behind every rule that can be written. */
const directPriority = Number.POSITIVE_INFINITY

/** True if the rule stands for a permission that is held directly. */
export function isDirect(rule: AccessRule): boolean {
  return rule.priority === directPriority
}

/**
 * Rules in the order they are asked. A permission held directly is a last rule on `/` that masks.
 */
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
 * Each container of the subject needs a rule, by priority the first that matches; the strictest of their
 * transforms counts.
 */
// Requirements: ACC-501, ACC-502, ACC-503, ACC-505
export function decide(rights: Rights, permission: TokenPermission, subject: Subject): Decision {
  // A token always has a container. Should one come without, nothing covers it.
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

/** The first of the rules, in the order they are asked, that covers a token of this id in this container. */
export function decidingRule(
  rules: readonly AccessRule[],
  id: string,
  container: string,
): AccessRule | undefined {
  return rules.find(candidate => matches(candidate, id, container))
}

/** Whether a rule speaks of a token of this id in this container. */
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
