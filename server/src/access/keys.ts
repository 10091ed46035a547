import { after } from '../base/flow/event-loop.ts'
import type { Random } from '../base/random.ts'
import type { ApplicationType } from '../contract/types.ts'
import { type Digest, digestOfUuid, uuidOfDigest, type Write } from '../storage/port/port.ts'
import type { KeyPlace, Records, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, keyDigests } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
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

function placeOf(root: TenantRecords, key: string): KeyPlace {
  return root.keyPlaces.get(key) ?? { digest: root.apiKeyDigest(key), tenant: tenantOfKey(root, key) }
}

/** Returns the digest that stands for a key of this tenant in the store. */
export function digestOfKey(root: TenantRecords, tenant: string, key: string): string {
  const place = placeOf(root, key)
  return place.tenant === tenant ? inTenant + place.digest : place.digest
}

/** Returns the record that leads from this key to an application of the tenant. */
export function recordOfKey(
  root: TenantRecords,
  tenant: string,
  application: string,
  key: string,
): KeyRecord {
  const id = digestOfKey(root, tenant, key)
  return { id, tenant, application, ...(id.startsWith(inTenant) ? { last_four: key.slice(-4) } : {}) }
}

/** Returns the id by which callers know a key. It says nothing of the key, nor of its digest. */
export function publicIdOfKey(store: TenantRecords, digest: string): string {
  const bytes = Buffer.from(store.publicDigest('key-id', digest), 'hex').subarray(0, 16)
  return uuidOfDigest(bytes.toString('base64url') as Digest)
}

/** The stores that the record of a key may be in. */
export interface KeyStores {
  readonly root: TenantRecords
  /** Of the tenant that the key belongs to. */
  readonly store: TenantRecords
}

/** Returns the store that has the record of a key with this digest. */
export function storeOfKey({ root, store }: KeyStores, digest: string): TenantRecords {
  return digest.startsWith(inTenant) ? store : root
}

export function insertKey(stores: KeyStores, record: KeyRecord): Write {
  return storeOfKey(stores, record.id).insert('key', record)
}

export function removeKey(stores: KeyStores, digest: string): Write {
  return storeOfKey(stores, digest).remove('key', digest)
}

/** Returns what a key leads to, in its own tenant and for the operator. */
export async function holdersOfKey(store: Records, root: TenantRecords, key: string): Promise<KeyRecord[]> {
  const { tenant, digest } = placeOf(root, key)
  const home = tenant === undefined ? undefined : await store.tenant(tenant)
  const found = [
    await home?.get<KeyRecord>('key', inTenant + digest),
    await root.get<KeyRecord>('key', digest),
  ]
  return found.flatMap(record => record?.value ?? [])
}

/** The caller that a key belongs to; `null` if the key is known and the caller is gone or expired. */
type Found = Caller | null | undefined

/**
 * Returns the caller that an API key belongs to; `undefined` if the key is unknown, gone or expired. Returns a promise
 * only if something has to be read.
 */
export function authenticate(
  store: Records,
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
  const callerIn = (keys: TenantRecords, digest: string): Found | Promise<Found> =>
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

/** The holders of keys. */
type Holder = ApplicationType | 'session'

const prefixes: Record<Holder, string> = {
  public: 'key_pub_',
  private: 'key_prv_',
  management: 'key_mgt_',
  session: 'key_ses_',
}

const secretLength = 24
const tenantLength = 16
const checkLength = 8

/**
 * A new key: a readable prefix and 192 random bits. With a home it also says which tenant it belongs to, so that a
 * distributed database finds it where the rest of the tenant is. Only this deployment can read that: for all others the
 * whole key is random, and two keys of one tenant have nothing in common.
 *
 * @param home the operator's store, and the tenant of the key
 */
export function makeKey(
  type: Holder,
  random: Random,
  home?: { readonly root: TenantRecords; readonly tenant: string },
): string {
  const secret = Buffer.from(random.bytes(secretLength))
  const parts = home ? [secret, ...hidden(home.root, secret, bytesOf(home.tenant))] : [secret]
  return prefixes[type] + Buffer.concat(parts).toString('base64url')
}

/** True for a text that looks like the key of a session. */
export function isSessionKey(key: string): boolean {
  return key.startsWith(prefixes.session)
}

/** Returns the tenant that a key says it belongs to; `undefined` if it says none, or another deployment made it. */
export function tenantOfKey(root: TenantRecords, key: string): string | undefined {
  const text = /^key_(?:pub|prv|mgt|ses)_([\w-]{64})$/.exec(key)?.[1]
  if (text === undefined) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const secret = bytes.subarray(0, secretLength)
  const given = bytes.subarray(secretLength)
  const tenant = xor(given.subarray(0, tenantLength), padOf(root, secret))
  if (!Buffer.concat(hidden(root, secret, tenant)).equals(given)) return undefined
  return uuidOfDigest(tenant.toString('base64url') as Parameters<typeof uuidOfDigest>[0])
}

/** The tenant under a pad that depends on the secret, and a check that no other deployment could make. */
function hidden(root: TenantRecords, secret: Buffer, tenant: Buffer): [Buffer, Buffer] {
  const check = root.publicDigest('key-check', `${secret.toString('hex')} ${tenant.toString('hex')}`)
  return [xor(tenant, padOf(root, secret)), Buffer.from(check, 'hex').subarray(0, checkLength)]
}

function padOf(root: TenantRecords, secret: Buffer): Buffer {
  return Buffer.from(root.publicDigest('key-home', secret.toString('hex')), 'hex')
}

const bytesOf = (tenant: string) => Buffer.from(digestOfUuid(tenant), 'base64url')

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))
}
