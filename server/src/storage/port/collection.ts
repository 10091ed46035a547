import { ClearingCache } from '../../base/cache.ts'
import { kindOfLetter, letterOf } from './kinds.ts'
import { type Digest, type DocumentKind, digestOfUuid, uuidOfDigest } from './port.ts'

/** A kind and a tenant, the unit of order and search. */
export interface Collection {
  readonly kind: DocumentKind
  readonly tenant: string
}

/** A collection as a text of 23 characters: the letter of the kind, and the tenant in base64url. */
export type CollectionName = string & { readonly collectionName: unique symbol }

const names = new ClearingCache<string, Map<DocumentKind, CollectionName>>(10_000)
const newMap = () => new Map<DocumentKind, CollectionName>()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Returns the name of a collection. Every read and write needs it, and converting a tenant takes 2 µs, so names are
 * remembered. It is the same string each time, as a Map finds it faster than a new one.
 */
export function collectionOf({ kind, tenant }: Collection): CollectionName {
  const known = names.of(tenant, newMap)
  const name = known.get(kind)
  if (name !== undefined) return name
  if (!uuid.test(tenant)) throw new TypeError('a tenant is a lower-case UUID')
  const made = (letterOf(kind) + digestOfUuid(tenant)) as CollectionName
  known.set(kind, made)
  return made
}

/** Returns the collection of a name; `undefined` for an unknown kind. */
export function collectionNamed(name: CollectionName): Collection | undefined {
  const kind = kindOfLetter(name.charAt(0))
  return kind && { kind, tenant: uuidOfDigest(name.slice(1) as Digest) }
}
