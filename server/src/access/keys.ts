import { after } from '../base/flow/event-loop.ts'
import { type Digest, uuidOfDigest, type Write } from '../storage/port/port.ts'
import type { KeyPlace, SealedStore, TenantStore } from '../storage/records/sealed.ts'
import { type ApplicationRecord, keyDigests } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import { tenantOfKey } from './key-text.ts'
import { sessionCaller } from './session.ts'

/** Leads from a key to its application or session. Its id is the key's digest; the key itself is not stored. */
export interface KeyRecord {
  readonly id: string
  readonly tenant: string
  readonly application: string
  /** Set if it is the key of a session that this application created. */
  readonly session?: string
  /** Of keys that name their tenant: their last characters are a check, and no part of the secret. */
  readonly last_four?: string
}

/** Marks the digest of a key whose record is in its own tenant. All others are in the operator's. */
const inTenant = 'home:'

function placeOf(root: TenantStore, key: string): KeyPlace {
  return root.keyPlaces.get(key) ?? { digest: root.apiKeyDigest(key), tenant: tenantOfKey(root, key) }
}

/** Returns the digest that stands for a key of this tenant in the store. */
export function digestOfKey(root: TenantStore, tenant: string, key: string): string {
  const place = placeOf(root, key)
  return place.tenant === tenant ? inTenant + place.digest : place.digest
}

/** Returns the record that leads from this key to an application of the tenant. */
export function recordOfKey(root: TenantStore, tenant: string, application: string, key: string): KeyRecord {
  const id = digestOfKey(root, tenant, key)
  return { id, tenant, application, ...(id.startsWith(inTenant) ? { last_four: key.slice(-4) } : {}) }
}

/** Returns the id by which callers know a key. It says nothing of the key, nor of its digest. */
export function shownIdOfKey(store: TenantStore, digest: string): string {
  const bytes = Buffer.from(store.shownDigest('key-id', digest), 'hex').subarray(0, 16)
  return uuidOfDigest(bytes.toString('base64url') as Digest)
}

/** The stores that the record of a key may be in. */
export interface KeyStores {
  readonly root: TenantStore
  /** Of the tenant that the key belongs to. */
  readonly store: TenantStore
}

/** Returns the store that has the record of a key with this digest. */
export function storeOfKey({ root, store }: KeyStores, digest: string): TenantStore {
  return digest.startsWith(inTenant) ? store : root
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
  const found = [
    await home?.get<KeyRecord>('key', inTenant + digest),
    await root.get<KeyRecord>('key', digest),
  ]
  return found.flatMap(record => record?.value.application ?? [])
}

/** The caller that a key belongs to; `null` if the key is known and the caller is gone or expired. */
type Found = Caller | null | undefined

/**
 * Returns the caller that an API key belongs to; `undefined` if the key is unknown, gone or expired. Returns a promise
 * only if something has to be read.
 */
export function authenticate(
  store: SealedStore,
  key: string,
  nowUs: (tenant?: string) => number,
): Caller | undefined | Promise<Caller | undefined> {
  // Where nobody is found, another process may have removed the tenant, and made it again with other keys.
  const follow = (record: KeyRecord): Found | Promise<Found> => {
    const { id: digest, tenant: id, application, session } = record
    return after(store.opened(id) ?? store.tenant(id), tenant => {
      if (!tenant) return null
      const caller =
        session === undefined
          ? tenant.lookUp<ApplicationRecord, Caller | undefined>('application', application, ({ value }) =>
              keyDigests(value).includes(digest) ? applicationAsCaller(id, value, nowUs(id)) : undefined,
            )
          : sessionCaller(tenant, session, nowUs(id), digest)
      return after(
        caller,
        one => one ?? store.forgetRemoved(id).then(isGone => (isGone ? follow(record) : null)),
      )
    })
  }
  // The time that this comparison takes tells nothing, as the record was found by the same digest.
  const callerIn = (keys: TenantStore, digest: string): Found | Promise<Found> =>
    keys.lookUp<KeyRecord, Found>('key', digest, ({ value }) =>
      value.id === digest ? follow(value) : undefined,
    )
  return after(store.openedRoot() ?? store.root(nowUs()), root => {
    const place = placeOf(root, key)
    const { tenant: claimed, digest } = place
    const own = claimed === undefined ? undefined : (store.opened(claimed) ?? store.tenant(claimed))
    return after(own, tenant => {
      const inOwn = tenant && callerIn(tenant, inTenant + digest)
      // A bootstrap file may give a tenant a key that was made for another one.
      const found = after(inOwn, one => (one === undefined ? callerIn(root, digest) : one))
      return after(found, one => {
        // Not of unknown keys: what callers send is not kept.
        if (one) root.keyPlaces.set(key, place)
        if (one !== undefined || !tenant) return one ?? undefined
        return store
          .forgetRemoved(tenant.tenant)
          .then(isGone => (isGone ? authenticate(store, key, nowUs) : undefined))
      })
    })
  })
}
