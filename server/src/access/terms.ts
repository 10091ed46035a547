import type { Digest, Query } from '../storage/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'
import { containerTerms } from './container-terms.ts'

/** The members of a token that searches and lists can ask for. Text is compared without case. */
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

/** Returns the terms of everything a token can be found by, without duplicates. */
export function termsOf(store: TenantStore, token: Searchable): Digest[] {
  const terms = new Set<Digest>()
  const add = (field: TermField, text: string) => terms.add(fieldTerm(store, field, text))
  add('type', token.type)
  add('created_by', token.created_by)
  // Addresses are exact, so an id with capitals needs a term to be found without regard to case.
  if (token.id !== token.id.toLowerCase()) add('id', token.id)
  for (const term of containerTerms(store, token.containers)) terms.add(term)
  for (const [key, value] of Object.entries(token.metadata ?? {})) terms.add(metadataTerm(store, key, value))
  for (const pattern of token.patterns ?? []) add('data', pattern)
  if (token.fingerprint !== undefined) add('fingerprint', token.fingerprint)
  if (token.modified_by !== undefined) add('modified_by', token.modified_by)
  return [...terms]
}

/** Members whose whole text is looked for, without regard to case. */
export type TermField = 'id' | 'type' | 'data' | 'fingerprint' | 'created_by' | 'modified_by'

// Requirements: SEA-016, SEA-025
export function fieldTerm(store: TenantStore, field: TermField, text: string): Digest {
  return store.term(field, text.toLowerCase())
}

/** Begins with the length of the key, so that no two different pairs have the same text. */
// Requirements: TOK-021, SEA-009, SEA-541
export function metadataTerm(store: TenantStore, key: string, value: string): Digest {
  // Lower-cased separately, as the lower case of a letter may depend on the next one, and be longer.
  const [name, content] = [key.toLowerCase(), value.toLowerCase()]
  return store.term('metadata', `${name.length}:${name}${content}`)
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
