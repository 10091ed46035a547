import { ClearingCache } from '../../base/cache.ts'
import { comparableId } from '../../base/comparable-id.ts'
import { KeyedDigest } from '../../crypto/digest.ts'
import { keptOpen, randomIds } from '../port/kinds.ts'
import { type Digest, type DocumentKind, digestOfUuid, type Query } from '../port/port.ts'

/**
 * A UUID that begins with its time (version 7), until 2109. A caller may choose any id, and what it begins with is in clear
 * then: no card number begins so.
 */
const timedUuid = /^0[0-3][0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Fields of few and insensitive values, whose terms may be remembered. */
const commonFields: ReadonlySet<string> = new Set([
  'type',
  'container',
  'under',
  'containers',
  'container-numbered',
  'under-numbered',
  'created_by',
  'modified_by',
  'entity_type',
])

/** Digests remembered per kind or field: enough for the lists of two callers with 100 rules on ten containers each. */
const mostDigests = 2000

/** More than there are kinds or common fields. */
const mostNames = 100

/** Where the record of an API key is. */
export interface KeyPlace {
  readonly digest: string
  /** The tenant that the key says it belongs to. */
  readonly tenant: string | undefined
}

/** The digests under a tenant's index key by which the store knows ids, terms and API keys. */
export class TenantDigests {
  readonly #index: KeyedDigest
  /** Of API keys that lead to a caller. */
  readonly keyPlaces = new ClearingCache<string, KeyPlace>(1000)
  /** By use and by kind or field, so that each has its own limit. */
  readonly #known = {
    id: new ClearingCache<string, ClearingCache<string, Digest>>(mostNames),
    term: new ClearingCache<string, ClearingCache<string, Digest>>(mostNames),
  }

  constructor(indexKey: Uint8Array) {
    this.#index = new KeyedDigest(indexKey)
  }

  /** The store's address of an id. */
  // Requirements: TOK-561
  address(kind: DocumentKind, given: string): Digest {
    const id = comparableId(given)
    // A random id of our own tells nothing, and needs no digest.
    if (randomIds.has(kind)) return digestOfUuid(id)
    if (keptOpen.has(kind)) return this.#remembered('id', kind, id)
    // Records that were made one after another lie close together, so that the store rewrites less.
    const time = timedUuid.test(id) ? id.slice(0, 8) + id.slice(9, 13) : ''
    const digest = this.#index.hex('id', kind, id)
    return digestOfUuid(time + digest.slice(time.length, 32))
  }

  /** The query for records with one of these ids, or for all. */
  among(kind: DocumentKind, ids: readonly string[] | undefined): Query {
    if (ids === undefined) return { op: 'all' }
    return { op: 'ids', ids: [...new Set(ids.map(id => this.address(kind, id)))] }
  }

  /** The term by which a search finds `value` in `field`. Case counts. */
  term(field: string, value: string): Digest {
    return commonFields.has(field)
      ? this.#remembered('term', field, value)
      : this.#digest('term', field, value)
  }

  /** The digest that stands for an API key in the store. */
  apiKeyDigest(key: string): string {
    return this.publicDigest('api-key', key)
  }

  /** A keyed one-way digest that callers may see: 64 hex digits, different from every term. */
  publicDigest(purpose: string, value: string): string {
    return this.#index.hex('shown', purpose, value)
  }

  #remembered(use: 'id' | 'term', name: string, value: string): Digest {
    const known = this.#known[use].of(name, () => new ClearingCache(mostDigests))
    return known.of(value, () => this.#digest(use, name, value))
  }

  #digest(use: 'id' | 'term', name: string, value: string): Digest {
    return this.#index.short(use, name, value) as Digest
  }
}
