import { ClearingCache } from '../../base/cache.ts'
import { KeyedDigest } from '../../crypto/digest.ts'
import { keptOpen, randomIds } from '../port/kinds.ts'
import { type Digest, type DocumentKind, digestOfUuid, type Query } from '../port/port.ts'

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
  /** Of API keys that this deployment made. */
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
  address(kind: DocumentKind, id: string): Digest {
    // A random id of our own tells nothing, and needs no digest.
    if (randomIds.has(kind)) return digestOfUuid(id)
    return keptOpen.has(kind) ? this.#remembered('id', kind, id) : this.#digest('id', kind, id)
  }

  /** The query for records with one of these ids, or for all. The ids are UUIDs in any case. */
  among(kind: DocumentKind, ids: readonly string[] | undefined): Query {
    if (ids === undefined) return { op: 'all' }
    return { op: 'ids', ids: [...new Set(ids.map(id => this.address(kind, id.toLowerCase())))] }
  }

  /** The term by which a search finds `value` in `field`. Case counts. */
  term(field: string, value: string): Digest {
    return commonFields.has(field)
      ? this.#remembered('term', field, value)
      : this.#digest('term', field, value)
  }

  /** The digest that stands for an API key in the store. */
  apiKeyDigest(key: string): string {
    return this.shownDigest('api-key', key)
  }

  /** A keyed one-way digest that callers may see: 64 hex digits, different from every term. */
  shownDigest(purpose: string, value: string): string {
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
