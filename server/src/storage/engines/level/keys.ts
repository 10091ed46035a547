import { ClearingCache } from '../../../base/cache.ts'
import { kindOfLetter, letterOf } from '../../port/kinds.ts'
import { type Digest, type DocumentKind, digestOfUuid, uuidOfDigest } from '../../port/port.ts'

/**
 * The key layout of the data folder; README.md has it as a table. No other file knows it.
 *
 * Keys are ASCII strings, which LevelDB reads faster than bytes. All parts have a fixed width, so that they need no
 * separators and sort by value. All keys of a collection share a prefix, so that one range holds everything that a
 * removed document may have left behind.
 */

/** A kind and a tenant: the first 23 characters of every key of a collection. */
export type CollectionKey = string & { readonly collectionKey: unique symbol }

/** A collection, with its key. */
export interface KeyedCollection {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly collection: CollectionKey
}

export const formatKey = '!format'
/** There while the index is being built. */
export const reindexKey = '!reindex'
/** Sorts after every character of a key. */
export const endOfKeys = '\x7f'

export interface KeyRange {
  readonly gte: string
  readonly lt: string
}

const keysWith = (prefix: string): KeyRange => ({ gte: prefix, lt: prefix + endOfKeys })

const stampWidth = 11
const ordinalWidth = 7
const blockWidth = 5
const digestWidth = 22

/** Writes a whole number up to 2^53 - 1 at a fixed width, so that text sorts like numbers. */
function digits(value: number, width: number): string {
  return value.toString(36).padStart(width, '0')
}

export function collectionKey(kind: DocumentKind, tenant: string): CollectionKey {
  return (letterOf(kind) + shortTenant(tenant)) as CollectionKey
}

/** `collectionKey` with a cache, as every read and write needs it and converting a tenant takes 2 µs. */
export class CollectionKeys {
  readonly #tenants = new ClearingCache<string, Map<DocumentKind, CollectionKey>>(10_000)

  /** Returns the same string each time, as a Map finds it faster than a new one. */
  of(kind: DocumentKind, tenant: string): CollectionKey {
    const known = this.#tenants.of(tenant, newMap)
    const key = known.get(kind) ?? collectionKey(kind, tenant)
    if (!known.has(kind)) known.set(kind, key)
    return key
  }
}

const newMap = () => new Map<DocumentKind, CollectionKey>()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function shortTenant(tenant: string): string {
  if (!uuid.test(tenant)) throw new TypeError('a tenant is a lower-case UUID')
  return digestOfUuid(tenant)
}

const collectionWidth = 1 + digestWidth

/** Returns the kind and the tenant of a collection; `undefined` for an unknown letter. */
export function placeOfCollection(collection: CollectionKey): KeyedCollection | undefined {
  const kind = kindOfLetter(collection.charAt(0))
  return kind && { collection, kind, tenant: uuidOfDigest(collection.slice(1) as Digest) }
}

/** The range of all collections after this one, or of all. */
export const collectionsAfter = (collection: CollectionKey | undefined) => ({
  gte: collection === undefined ? '"' : collection + endOfKeys,
  lt: endOfKeys,
})
export const collectionOfKey = (key: string) => key.slice(0, collectionWidth) as CollectionKey

/** The sorts of key of a collection: the letter after its prefix. */
type KeySort = 'd' | 'o' | 'b' | 'c' | 'm' | 'e' | 'u' | 'n'
export const keysOfSort = (collection: CollectionKey, sort: KeySort) => keysWith(collection + sort)
/** The id in a `documentKey`. */
export const digestOfKey = (key: string) => key.slice(collectionWidth + 1) as Digest

export const documentKey = (collection: CollectionKey, id: Digest) => `${collection}d${id}`
export const ordinalKey = (collection: CollectionKey, ordinal: number) =>
  `${collection}o${digits(ordinal, ordinalWidth)}`
export const uniqueKey = (collection: CollectionKey, unique: Digest) => `${collection}u${unique}`
export const counterKey = (collection: CollectionKey) => `${collection}n`

/** The prefix of the `blockKey`s of a term. */
export const termPrefix = (collection: CollectionKey, term: Digest) => `${collection}b${term}`
export const blockKey = (prefix: string, block: number) => prefix + digits(block, blockWidth)
export const blockOfKey = (key: string) => Number.parseInt(key.slice(-blockWidth), 36)

export const createdKey = (collection: CollectionKey, createdUs: number, ordinal: number) =>
  `${collection}c${digits(createdUs, stampWidth)}${digits(ordinal, ordinalWidth)}`
export const createdFrom = (collection: CollectionKey, us: number) => ({
  gte: `${collection}c${digits(us, stampWidth)}`,
  lt: `${collection}c${endOfKeys}`,
})

export const modifiedKey = (collection: CollectionKey, modifiedUs: number, ordinal: number) =>
  `${collection}m${digits(modifiedUs, stampWidth)}${digits(ordinal, ordinalWidth)}`
export const modifiedRange = (collection: CollectionKey, fromUs: number, toUs: number) => ({
  gte: `${collection}m${digits(fromUs, stampWidth)}`,
  lt: `${collection}m${digits(toUs, stampWidth)}${endOfKeys}`,
})

export const dueKey = (collection: CollectionKey, dueMs: number, ordinal: number) =>
  `${collection}e${digits(dueMs, stampWidth)}${digits(ordinal, ordinalWidth)}`
/** The stamp in a `dueKey` or `modifiedKey`. */
export const stampOfKey = (key: string) => Number.parseInt(key.slice(24, 24 + stampWidth), 36)
export const ordinalOfKey = (key: string) => Number.parseInt(key.slice(-ordinalWidth), 36)

/** The due times of one kind, of all tenants; the value is the document's id. */
const agendaPrefix = '!due'
export const agendaKey = (collection: CollectionKey, dueMs: number, ordinal: number) =>
  `${agendaPrefix}${collection[0]}${digits(dueMs, stampWidth)}${collection.slice(1)}${digits(ordinal, ordinalWidth)}`
export const agendaRange = (kind: DocumentKind, beforeMs: number) => ({
  gte: `${agendaPrefix}${letterOf(kind)}`,
  lt: `${agendaPrefix}${letterOf(kind)}${digits(beforeMs, stampWidth)}${endOfKeys}`,
})
export const agendaOfAll = keysWith(agendaPrefix)
function collectionOfAgendaKey(key: string): CollectionKey {
  const start = agendaPrefix.length
  const tenant = key.slice(start + 1 + stampWidth, start + 1 + stampWidth + digestWidth)
  return (key.charAt(start) + tenant) as CollectionKey
}
export const tenantOfAgendaKey = (key: string) => uuidOfDigest(collectionOfAgendaKey(key).slice(1) as Digest)

/** Marks a collection where documents were removed or replaced since the last compaction. */
const garbagePrefix = '!garbage'
export const garbageKey = (collection: CollectionKey) => garbagePrefix + collection
export const garbageRange = keysWith(garbagePrefix)
export const garbageOfKey = (key: string) => key.slice(garbagePrefix.length) as CollectionKey

export const leaseKey = (name: string) => `!lease${name}`
