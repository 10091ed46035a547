import type { Caller } from '../access/caller.ts'
import { type Rights, rulesFor } from '../access/rules.ts'
import { comparableId } from '../base/comparable-id.ts'
import { type Area, intersectAreas, isEverywhere, toArea } from '../contract/containers.ts'
import type { AccessRule, TokenPermission } from '../contract/types.ts'
import { limits } from '../generated/facts.ts'
import { type Digest, matchAll, matchAny, matchTerm, type Query } from '../storage/port/port.ts'
import type { TenantRecords } from '../storage/records/records.ts'
import { areaTerm, moreThanTerm, numberedAreaTerm, whollyInTerm } from './terms.ts'

/**
 * Returns the caller's rights as a query, which matches exactly the tokens for which `decideFor` allows the permission. So
 * lists and totals need not read what the caller may not see. Its length depends on the rules alone.
 */
// Requirements: PAG-502, PAG-506, ACC-534, PAG-540
export function visibleTo(store: TenantRecords, caller: Caller, permission: TokenPermission): Query {
  const granted = coveredBy(store, caller.rights, permission)
  return caller.authorizerRights
    ? matchAll([granted, coveredBy(store, caller.authorizerRights, permission)])
    : granted
}

/** Matches tokens of which each container is covered by one of the rules. */
function coveredBy(store: TenantRecords, rights: Rights, permission: TokenPermission): Query {
  const reaches = rulesFor(rights, permission).flatMap(rule => reachOf(rule) ?? [])
  if (reaches.length === 0) return { op: 'none' }
  if (reaches.some(({ area, id }) => isEverywhere(area) && id === undefined)) return { op: 'all' }

  const covers = coversOf(store, reaches)
  const covered = (termOf: (area: Area) => Digest) =>
    matchAny(
      covers.map(({ area, ids }) =>
        matchAll([ids, isEverywhere(area) ? { op: 'all' } : matchTerm(termOf(area))]),
      ),
    )
  const coveredAt = (number: number) => covered(area => numberedAreaTerm(store, number, area))
  const coveredFrom = (number: number): Query => {
    const noMore: Query = { op: 'not', of: matchTerm(moreThanTerm(store, number)) }
    if (number === limits.tokenContainers) return noMore
    return matchAny([noMore, matchAll([coveredAt(number), coveredFrom(number + 1)])])
  }
  const several = matchTerm(moreThanTerm(store, 1))
  return matchAny([
    matchAll([{ op: 'not', of: several }, covered(area => areaTerm(store, area))]),
    covers.length === 1
      ? covered(area => whollyInTerm(store, area))
      : matchAll([several, coveredAt(0), coveredAt(1), coveredFrom(2)]),
  ])
}

/** The containers that a rule covers: of all tokens, or of the one with this id. */
interface Reach {
  readonly area: Area
  readonly id?: string
}

/** Combines the conditions of a rule; `undefined` if no token can meet them all. Agrees with `matches`. */
function reachOf(rule: AccessRule): Reach | undefined {
  if (typeof rule.container === 'string') return { area: toArea(rule.container, true) }
  let reach: Reach = { area: toArea('/', true) }
  for (const { attribute, operator, value } of rule.conditions ?? []) {
    if (attribute === 'id') {
      if (reach.id !== undefined && reach.id !== comparableId(value)) return undefined
      reach = { ...reach, id: comparableId(value) }
    } else {
      const area = intersectAreas(reach.area, toArea(value, operator === 'starts_with'))
      if (!area) return undefined
      reach = { ...reach, area }
    }
  }
  return reach
}

/** The tokens that one or more rules cover in the same area. */
interface Cover {
  readonly area: Area
  /** The tokens: all, or those with certain ids. */
  readonly ids: Query
}

/** Merges rules by area. Parts of a query with the same ids are one object, which a store reads once. */
function coversOf(store: TenantRecords, reaches: readonly Reach[]): Cover[] {
  const covers = new Map<string, { readonly area: Area; readonly ids: Set<string> | 'all' }>()
  for (const { area, id } of reaches) {
    const name = `${area.below} ${area.path}`
    const ids = covers.get(name)?.ids ?? new Set()
    covers.set(name, { area, ids: id === undefined || ids === 'all' ? 'all' : ids.add(id) })
  }
  return [...covers.values()].map(({ area, ids }) => ({
    area,
    ids: ids === 'all' ? { op: 'all' } : { op: 'ids', ids: [...ids].map(id => store.address('token', id)) },
  }))
}
