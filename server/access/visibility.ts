import {
  containerSetTerm,
  containerTerm,
  matchAll,
  matchAny,
  matchTerm,
  severalContainersTerm,
  underTerm,
} from '../search/terms.ts'
import type { Query } from '../storage/port.ts'
import type { TenantStore } from '../storage/sealed.ts'
import type { Caller } from './caller.ts'
import { normalizeContainer } from './containers.ts'
import type { Permission } from './permissions.ts'
import { type AccessRule, matches, type Rights, rulesFor } from './rules.ts'

/** The container combinations of tokens with more than one container, as the tenant's registry has them. */
export type ContainerSets = () => Promise<readonly (readonly string[])[]>

/**
 * The caller's rights as a query: it matches exactly the tokens for which `decideFor` allows the permission,
 * so lists and totals need not read what the caller may not see.
 */
export async function visibleTo(
  store: TenantStore,
  caller: Caller,
  permission: Permission,
  sets: ContainerSets,
): Promise<Query> {
  const granted = await coveredBy(store, caller.rights, permission, sets)
  if (!caller.limit) return granted
  return matchAll([granted, await coveredBy(store, caller.limit, permission, sets)])
}

async function coveredBy(
  store: TenantStore,
  rights: Rights,
  permission: Permission,
  sets: ContainerSets,
): Promise<Query> {
  const rules = rulesFor(rights, permission)
  if (rules.some(coversEverything)) return { op: 'all' }
  if (rules.length === 0) return { op: 'none' }

  const several = matchTerm(severalContainersTerm(store))
  const single = matchAll([{ op: 'not', of: several }, matchAny(rules.map(rule => ruleQuery(store, rule)))])

  const ids = [...new Set(rules.flatMap(idsNamed))]
  const covered: Query[] = [single]
  for (const containers of await sets()) {
    const set = matchTerm(containerSetTerm(store, containers))
    // No id has this text, so only rules without an id condition can cover for it.
    if (covers(rules, '', containers)) covered.push(set)
    else {
      const named = ids.filter(id => covers(rules, id, containers)).map(id => store.address('token', id))
      if (named.length > 0) covered.push(matchAll([{ op: 'ids', ids: named }, set]))
    }
  }
  return matchAny(covered)
}

function covers(rules: readonly AccessRule[], id: string, containers: readonly string[]): boolean {
  return containers.every(container => rules.some(rule => matches(rule, id, container)))
}

function coversEverything(rule: AccessRule): boolean {
  if (typeof rule.container === 'string') return rule.container === '/'
  return (rule.conditions ?? []).every(
    condition => condition.operator === 'starts_with' && condition.value === '/',
  )
}

function idsNamed(rule: AccessRule): string[] {
  return (rule.conditions ?? []).flatMap(condition => (condition.attribute === 'id' ? [condition.value] : []))
}

function ruleQuery(store: TenantStore, rule: AccessRule): Query {
  if (typeof rule.container === 'string') return within(store, rule.container)
  return matchAll(
    (rule.conditions ?? []).map(condition => {
      if (condition.attribute === 'id') return { op: 'ids', ids: [store.address('token', condition.value)] }
      return condition.operator === 'equals'
        ? matchTerm(containerTerm(store, condition.value))
        : within(store, condition.value)
    }),
  )
}

function within(store: TenantStore, container: string): Query {
  return normalizeContainer(container) === '/' ? { op: 'all' } : matchTerm(underTerm(store, container))
}
