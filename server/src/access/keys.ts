import type { Random } from '../base/random.ts'
import type { ApplicationType } from '../contract/types.ts'
import { sameDigest } from '../crypto/digest.ts'
import type { Write } from '../storage/port.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import { sessionCaller } from './session.ts'

/** Leads from an API key to its application or session. Its id is the key's digest; the key itself is not stored. */
export interface KeyRecord {
  readonly id: string
  readonly tenant: string
  readonly application: string
  /** Set if it is the key of a session that this application created. */
  readonly session?: string
}

const prefixes: Record<ApplicationType | 'session', string> = {
  public: 'key_pub_',
  private: 'key_prv_',
  management: 'key_mgt_',
  session: 'key_ses_',
}

/** A new API key: a readable prefix and 192 random bits. */
export function makeKey(type: ApplicationType | 'session', random: Random): string {
  return prefixes[type] + Buffer.from(random.bytes(24)).toString('base64url')
}

export function insertKey(root: TenantStore, record: KeyRecord): Write {
  return root.insert('key', record)
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
  const digest = root.apiKeyDigest(key)
  const follow = async ({ tenant: id, application, session }: KeyRecord) => {
    const tenant = await store.tenant(id)
    if (!tenant) return undefined
    readAhead(tenant)
    if (session !== undefined) return sessionCaller(tenant, session, nowUs(id), digest)
    const found = await tenant.get<ApplicationRecord>('application', application)
    return found?.value.key_digest === digest ? applicationAsCaller(id, found.value, nowUs(id)) : undefined
  }
  const seen = root.seen<KeyRecord>('key', digest)
  const [found, caller] = await Promise.all([root.get<KeyRecord>('key', digest), seen && follow(seen.value)])
  if (!found || !sameDigest(found.value.id, digest)) return undefined
  return found === seen ? caller : follow(found.value)
}
