import { containerAncestry, normalizeContainer } from '../access/containers.ts'
import type { Digest, Query } from '../storage/port.ts'
import type { TenantStore } from '../storage/sealed.ts'

/** What of a token a search or a list can ask for. Text is compared without case. */
export interface Searchable {
  readonly id: string
  readonly type: string
  readonly containers: readonly string[]
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly fingerprint?: string | undefined
  /** The evaluated search indexes. */
  readonly patterns?: readonly string[] | undefined
  readonly created_by: string
  readonly modified_by?: string | undefined
}

/** Everything a token can be found by, as terms. The order means nothing; there are no duplicates. */
export function termsOf(store: TenantStore, token: Searchable): Digest[] {
  const terms = new Set<Digest>([typeTerm(store, token.type), createdByTerm(store, token.created_by)])
  // Addresses are exact; an id with capitals needs a term to be found without regard to case.
  if (token.id !== token.id.toLowerCase()) terms.add(idTerm(store, token.id))
  for (const container of token.containers) {
    terms.add(containerTerm(store, container))
    for (const ancestor of containerAncestry(container)) {
      if (ancestor !== '/') terms.add(underTerm(store, ancestor))
    }
  }
  if (containerSetKey(token.containers) !== undefined) {
    terms.add(severalContainersTerm(store))
    terms.add(containerSetTerm(store, token.containers))
    for (const ancestor of commonAncestors(token.containers)) terms.add(whollyUnderTerm(store, ancestor))
  }
  for (const [key, value] of Object.entries(token.metadata ?? {})) terms.add(metadataTerm(store, key, value))
  for (const pattern of token.patterns ?? []) terms.add(dataTerm(store, pattern))
  if (token.fingerprint !== undefined) terms.add(fingerprintTerm(store, token.fingerprint))
  if (token.modified_by !== undefined) terms.add(modifiedByTerm(store, token.modified_by))
  return [...terms]
}

export const typeTerm = (store: TenantStore, type: string) => store.term('type', type.toLowerCase())
export const idTerm = (store: TenantStore, id: string) => store.term('id', id.toLowerCase())
export const createdByTerm = (store: TenantStore, id: string) => store.term('created_by', id.toLowerCase())
export const modifiedByTerm = (store: TenantStore, id: string) => store.term('modified_by', id.toLowerCase())
export const fingerprintTerm = (store: TenantStore, digest: string) =>
  store.term('fingerprint', digest.toLowerCase())
// Requirements: SEA-016, SEA-025
export const dataTerm = (store: TenantStore, pattern: string) => store.term('data', pattern.toLowerCase())

/** The key's length goes first, so that no key and value can pass for another pair. */
// Requirements: TOK-021, SEA-009
export function metadataTerm(store: TenantStore, key: string, value: string): Digest {
  // Each in its own lower case: that of a letter may depend on the one behind it, and be longer.
  const [name, content] = [key.toLowerCase(), value.toLowerCase()]
  return store.term('metadata', `${name.length}:${name}${content}`)
}

/** Exactly this container. */
// Requirements: SEA-010
export const containerTerm = (store: TenantStore, container: string) =>
  store.term('container', normalizeContainer(container))

/** This container or any below it. */
// Requirements: SEA-011
export const underTerm = (store: TenantStore, container: string) =>
  store.term('under', normalizeContainer(container))

/** On tokens with more than one container: all of them are this one or lie below it. */
export const whollyUnderTerm = (store: TenantStore, container: string) =>
  store.term('containers', `under ${normalizeContainer(container)}`)

/** What holds all of the containers, but for the root, which holds everything. */
function commonAncestors(containers: readonly string[]): string[] {
  const [first = [], ...others] = containers.map(containerAncestry)
  return first.filter(ancestor => ancestor !== '/' && others.every(other => other.includes(ancestor)))
}

/** On tokens with more than one container. */
export const severalContainersTerm = (store: TenantStore) => store.term('containers', 'several')

export const containerSetTerm = (store: TenantStore, containers: readonly string[]) =>
  store.term('containers', containerSetKey(containers) ?? '')

/** The set of a token's containers as one text; `undefined` for a single one, whose own terms say it all. */
export function containerSetKey(containers: readonly string[]): string | undefined {
  const distinct = [...new Set(containers.map(normalizeContainer))].sort()
  return distinct.length > 1 ? distinct.join(' ') : undefined
}

export function matchTerm(term: Digest): Query {
  return { op: 'term', term }
}

export function matchAny(of: readonly Query[]): Query {
  const [only] = of
  if (only === undefined) return { op: 'none' }
  return of.length === 1 ? only : { op: 'or', of }
}

export function matchAll(of: readonly Query[]): Query {
  const needed = of.filter(query => query.op !== 'all')
  const [only] = needed
  if (only === undefined) return { op: 'all' }
  return needed.length === 1 ? only : { op: 'and', of: needed }
}
