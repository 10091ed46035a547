/** Who may do what with which token: applications, their permissions and their rules. */
import { randomBytes, randomUUID } from 'node:crypto'
import { check, isObject, isPath, isText, listOfTexts } from './checks.mjs'

const permissions = ['create', 'read', 'update', 'delete', 'search', 'use'].map(name => `token:${name}`)
/** Transforms, from the one that shows least. */
const transforms = ['redact', 'mask', 'reveal']

/** An application that may do everything with tokens and sees them whole. */
export const everything = {
  type: 'private',
  permissions: [],
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions }],
}

const areKnown = names => listOfTexts(names) && names.every(name => permissions.includes(name))

/** Returns the members of an application that its creator sets, complete and valid. */
export function validatedApplication({ name, type, permissions: held = [], rules = [] }) {
  check(isText(name) && name.length >= 1 && name.length <= 200, 'name')
  check(['private', 'public'].includes(type), 'type')
  check(areKnown(held), 'permissions')
  check(Array.isArray(rules) && held.length + rules.length > 0, 'rules')
  for (const rule of rules) {
    check(isObject(rule) && Number.isInteger(rule.priority), 'rules: priority')
    check(isPath(rule.container) && transforms.includes(rule.transform), 'rules: container or transform')
    check(areKnown(rule.permissions) && rule.permissions.length > 0, 'rules: permissions')
  }
  return { name, type, permissions: held, rules }
}

/** Returns a new application, with its key. */
export const newApplication = (given, key = `key_${randomBytes(24).toString('base64url')}`) => ({
  id: randomUUID(),
  ...given,
  key,
})

/**
 * Returns how an application sees tokens of these containers when it uses a permission, or undefined if it may not: the
 * rule with the lowest priority decides, a permission without a rule shows the mask, and the strictest container counts.
 */
export function transformOf(application, permission, containers) {
  const rules = [...application.rules].sort((a, b) => a.priority - b.priority)
  const ranks = (containers.length === 0 ? ['/'] : containers).map(container => {
    const rule = rules.find(
      one => one.permissions.includes(permission) && container.startsWith(one.container),
    )
    const transform = rule?.transform ?? (application.permissions.includes(permission) ? 'mask' : undefined)
    return transforms.indexOf(transform)
  })
  return transforms[Math.min(...ranks)]
}
