import type { CollectionName } from '../../port/collection.ts'
import { letterOf } from '../../port/kinds.ts'
import type { Digest, DocumentKind } from '../../port/port.ts'

/**
 * The key layout of the data folder; README.md has it as a table. No other file knows it.
 *
 * Keys are ASCII strings, which LevelDB reads faster than bytes. All parts have a fixed width, so that they need no
 * separators and sort by value. All keys of a collection begin with its name, so that one range holds everything that a
 * removed document may have left behind.
 */

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

const collectionWidth = 1 + digestWidth

/** The range of all collections after this one, or of all. */
export const collectionsAfter = (collection: CollectionName | undefined) => ({
  gte: collection === undefined ? '"' : collection + endOfKeys,
  lt: endOfKeys,
})
export const collectionOfKey = (key: string) => key.slice(0, collectionWidth) as CollectionName

/** The sorts of key of a collection: the letter after its prefix. */
type KeySort = 'd' | 'o' | 'b' | 'c' | 'm' | 'e' | 'u' | 'n'
export const keysOfSort = (collection: CollectionName, sort: KeySort) => keysWith(collection + sort)
/** The id in a `documentKey`. */
export const digestOfKey = (key: string) => key.slice(collectionWidth + 1) as Digest

export const documentKey = (collection: CollectionName, id: Digest) => `${collection}d${id}`
export const ordinalKey = (collection: CollectionName, ordinal: number) =>
  `${collection}o${digits(ordinal, ordinalWidth)}`
export const uniqueKey = (collection: CollectionName, unique: Digest) => `${collection}u${unique}`
export const counterKey = (collection: CollectionName) => `${collection}n`

/** The prefix of the `blockKey`s of a term. */
export const termPrefix = (collection: CollectionName, term: Digest) => `${collection}b${term}`
export const blockKey = (prefix: string, block: number) => prefix + digits(block, blockWidth)
export const blockOfKey = (key: string) => Number.parseInt(key.slice(-blockWidth), 36)

export const createdKey = (collection: CollectionName, createdUs: number, ordinal: number) =>
  `${collection}c${digits(createdUs, stampWidth)}${digits(ordinal, ordinalWidth)}`
export const createdFrom = (collection: CollectionName, us: number) => ({
  gte: `${collection}c${digits(us, stampWidth)}`,
  lt: `${collection}c${endOfKeys}`,
})

export const modifiedKey = (collection: CollectionName, modifiedUs: number, ordinal: number) =>
  `${collection}m${digits(modifiedUs, stampWidth)}${digits(ordinal, ordinalWidth)}`
export const modifiedRange = (collection: CollectionName, fromUs: number, toUs: number) => ({
  gte: `${collection}m${digits(fromUs, stampWidth)}`,
  lt: `${collection}m${digits(toUs, stampWidth)}${endOfKeys}`,
})

export const dueKey = (collection: CollectionName, dueMs: number, ordinal: number) =>
  `${collection}e${digits(dueMs, stampWidth)}${digits(ordinal, ordinalWidth)}`
export const dueRange = (collection: CollectionName, beforeMs: number) => ({
  gte: `${collection}e`,
  lt: `${collection}e${digits(beforeMs, stampWidth)}${endOfKeys}`,
})
/** The stamp in a `dueKey` or `modifiedKey`. */
export const stampOfKey = (key: string) => Number.parseInt(key.slice(24, 24 + stampWidth), 36)
export const ordinalOfKey = (key: string) => Number.parseInt(key.slice(-ordinalWidth), 36)

/** The due times of one kind, of all tenants; the value is the document's id. */
const agendaPrefix = '!due'
export const agendaKey = (collection: CollectionName, dueMs: number, ordinal: number) =>
  `${agendaPrefix}${collection[0]}${digits(dueMs, stampWidth)}${collection.slice(1)}${digits(ordinal, ordinalWidth)}`
export const agendaRange = (kind: DocumentKind, beforeMs: number) => ({
  gte: `${agendaPrefix}${letterOf(kind)}`,
  lt: `${agendaPrefix}${letterOf(kind)}${digits(beforeMs, stampWidth)}${endOfKeys}`,
})
export const agendaOfAll = keysWith(agendaPrefix)
/** The name of the collection that an `agendaKey` is of. */
export const collectionOfAgendaKey = (key: string) => {
  const start = agendaPrefix.length
  const tenant = key.slice(start + 1 + stampWidth, start + 1 + stampWidth + digestWidth)
  return (key.charAt(start) + tenant) as CollectionName
}

/** Marks a collection where documents were removed or replaced since the last compaction. */
const garbagePrefix = '!garbage'
export const garbageKey = (collection: CollectionName) => garbagePrefix + collection
export const garbageRange = keysWith(garbagePrefix)
export const garbageOfKey = (key: string) => key.slice(garbagePrefix.length) as CollectionName

export const leaseKey = (name: string) => `!lease${name}`
