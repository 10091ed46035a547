import { Memo } from '../base/memo.ts'
import { sameDigest } from '../crypto/digest.ts'
import type { Write } from '../storage/port.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import { tenantOfKey } from './key-text.ts'
import { sessionCaller } from './session.ts'

/** Leads from an API key to its application or session. Its id is the key's digest; the key itself is not stored. */
export interface KeyRecord {
  readonly id: string
  readonly tenant: string
  readonly application: string
  /** Set if it is the key of a session that this application created. */
  readonly session?: string
}

/** Marks the digest of a key whose record is in its own tenant. All others are in the operator's. */
const atHome = 'home:'

interface Place {
  readonly digest: string
  /** The tenant that the key says it belongs to. */
  readonly tenant: string | undefined
}

/** Of keys that this deployment made: what else callers send is not kept. */
const mostPlaces = 1000
const places = new WeakMap<TenantStore, Memo<string, Place>>()

function placeOf(root: TenantStore, key: string): Place {
  let known = places.get(root)
  if (!known) {
    known = new Memo(mostPlaces)
    places.set(root, known)
  }
  const place = known.get(key)
  if (place) return place
  const tenant = tenantOfKey(root, key)
  const made = { digest: root.apiKeyDigest(key), tenant }
  return tenant === undefined ? made : known.set(key, made)
}

/** Returns the digest that stands for a key of this tenant in the store. */
export function digestOfKey(root: TenantStore, tenant: string, key: string): string {
  const place = placeOf(root, key)
  return place.tenant === tenant ? atHome + place.digest : place.digest
}

/** The stores that the record of a key may be in. */
export interface KeyStores {
  readonly root: TenantStore
  /** Of the tenant that the key belongs to. */
  readonly store: TenantStore
}

/** Returns the store that has the record of a key with this digest. */
export function storeOfKey({ root, store }: KeyStores, digest: string): TenantStore {
  return digest.startsWith(atHome) ? store : root
}

export function insertKey(stores: KeyStores, record: KeyRecord): Write {
  return storeOfKey(stores, record.id).insert('key', record)
}

export function removeKey(stores: KeyStores, digest: string): Write {
  return storeOfKey(stores, digest).remove('key', digest)
}

/** Returns the ids of the applications that a key leads to, in its own tenant and for the operator. */
export async function holdersOfKey(store: SealedStore, root: TenantStore, key: string): Promise<string[]> {
  const { tenant, digest } = placeOf(root, key)
  const home = tenant === undefined ? undefined : await store.tenant(tenant)
  const found = [await home?.get<KeyRecord>('key', atHome + digest), await root.get<KeyRecord>('key', digest)]
  return found.flatMap(record => record?.value.application ?? [])
}

/**
 * Like `authenticate`, for the application of a key that is in memory with everything it leads to: then a request need not
 * wait. Returns `undefined` for any other key, whose caller has to be read.
 */
export function recentCaller(
  store: SealedStore,
  key: string,
  nowUs: (tenant?: string) => number,
): { readonly caller: Caller; readonly tenant: TenantStore } | undefined {
  const root = store.openedRoot()
  if (!root) return undefined
  const place = placeOf(root, key)
  const isHome = place.tenant !== undefined
  const digest = isHome ? atHome + place.digest : place.digest
  const keys = isHome ? store.opened(place.tenant) : root
  const found = keys?.recent<KeyRecord>('key', digest)?.value
  // The time that this comparison takes tells nothing, as the record was found by the same digest.
  if (found?.id !== digest || found.session !== undefined) return undefined
  const tenant = store.opened(found.tenant)
  const application = tenant?.recent<ApplicationRecord>('application', found.application)?.value
  if (!tenant || application?.key_digest !== digest) return undefined
  const caller = applicationAsCaller(found.tenant, application, nowUs(found.tenant))
  return caller && { caller, tenant }
}

/**
 * Returns the caller that an API key belongs to; `undefined` if the key is unknown, gone or expired. Where the key led
 * before is read together with the key, so that a database is asked once.
 *
 * @param readAhead begins further reads as soon as the tenant is known, perhaps before the caller is
 */
export async function authenticate(
  store: SealedStore,
  key: string,
  nowUs: (tenant?: string) => number,
  readAhead: (tenant: TenantStore) => void = () => {},
): Promise<Caller | undefined> {
  const root = await store.root(nowUs())
  const { tenant: said, digest: bare } = placeOf(root, key)
  const follow = async ({ id: digest, tenant: id, application, session }: KeyRecord) => {
    const tenant = await store.tenant(id)
    if (!tenant) return undefined
    readAhead(tenant)
    if (session !== undefined) return sessionCaller(tenant, session, nowUs(id), digest)
    const found = await tenant.get<ApplicationRecord>('application', application)
    return found?.value.key_digest === digest ? applicationAsCaller(id, found.value, nowUs(id)) : undefined
  }
  const callerIn = async (keys: TenantStore, digest: string) => {
    const seen = keys.seen<KeyRecord>('key', digest)
    const [found, caller] = await Promise.all([
      keys.get<KeyRecord>('key', digest),
      seen && follow(seen.value),
    ])
    if (!found || !sameDigest(found.value.id, digest)) return undefined
    return { caller: found === seen ? caller : await follow(found.value) }
  }
  const home = said === undefined ? undefined : await store.tenant(said)
  const there = home && (await callerIn(home, atHome + bare))
  // A bootstrap file may give a tenant a key that was made for another one.
  return (there ?? (await callerIn(root, bare)))?.caller
}
