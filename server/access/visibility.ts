import {
  containerSetTerm,
  containerTerm,
  matchAll,
  matchAny,
  matchTerm,
  severalContainersTerm,
  underTerm,
  whollyUnderTerm,
} from '../search/terms.ts'
import type { Query } from '../storage/port.ts'
import type { TenantStore } from '../storage/sealed.ts'
import type { Caller } from './caller.ts'
import { isWithin, normalizeContainer } from './containers.ts'
import type { Permission } from './permissions.ts'
import { type AccessRule, matches, type Rights, rulesFor } from './rules.ts'

/**
 * The container combinations of tokens with more than one container, as the tenant's registry has them. The
 * list only grows, and stays the same object where it can.
 */
export type ContainerSets = () => Promise<readonly (readonly string[])[]>

/**
 * The caller's rights as a query: it matches exactly the tokens for which `decideFor` allows the permission,
 * so lists and totals need not read what the caller may not see.
 */
// Requirements: PAG-502, PAG-506
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
  const paths = rules.flatMap(rule => pathOf(rule) ?? [])
  const whole = paths.map(path => matchTerm(whollyUnderTerm(store, path)))
  // One path that holds all of a token's containers says so itself; only several rules together need the sets.
  const isOnePath = rules.length === 1 && paths.length === 1
  const joint = isOnePath ? [] : jointlyCovered(store, rights, permission, rules, await sets())
  return matchAny([single, ...whole, ...joint])
}

/** How far the sets of a tenant were gone through for one caller's rights, and what came of it. */
interface Covered {
  readonly sets: readonly (readonly string[])[]
  seen: number
  readonly queries: Query[]
}

/**
 * By the list of rules, which is one object for as long as its record is unchanged, and by tenant and
 * permission. A permission held directly does not come here: it covers everything.
 */
const remembered = new WeakMap<Rights['rules'], WeakMap<TenantStore, Map<Permission, Covered>>>()

/** Sets that no single path holds. There may be many, so each is looked at once for the same rights. */
function jointlyCovered(
  store: TenantStore,
  rights: Rights,
  permission: Permission,
  rules: readonly AccessRule[],
  sets: readonly (readonly string[])[],
): readonly Query[] {
  const byStore = remembered.get(rights.rules) ?? new WeakMap<TenantStore, Map<Permission, Covered>>()
  remembered.set(rights.rules, byStore)
  const byPermission = byStore.get(store) ?? new Map<Permission, Covered>()
  byStore.set(store, byPermission)
  let covered = byPermission.get(permission)
  if (covered?.sets !== sets) covered = { sets, seen: 0, queries: [] }
  byPermission.set(permission, covered)

  const paths = rules.flatMap(rule => pathOf(rule) ?? [])
  const ids = [...new Set(rules.flatMap(idsNamed))]
  for (const containers of sets.slice(covered.seen)) {
    covered.seen++
    if (paths.some(path => containers.every(container => isWithin(container, path)))) continue
    const set = matchTerm(containerSetTerm(store, containers))
    // No id has this text, so only rules without an id condition can cover for it.
    if (covers(rules, '', containers)) covered.queries.push(set)
    else {
      const named = ids.filter(id => covers(rules, id, containers)).map(id => store.address('token', id))
      if (named.length > 0) covered.queries.push(matchAll([{ op: 'ids', ids: named }, set]))
    }
  }
  return covered.queries
}

/** The container a rule speaks of, with all below it, where it asks for nothing else. */
function pathOf(rule: AccessRule): string | undefined {
  if (typeof rule.container === 'string') return rule.container
  const [only, ...others] = rule.conditions ?? []
  return others.length === 0 && only?.operator === 'starts_with' ? only.value : undefined
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
