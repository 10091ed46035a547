import type { Random } from '../base/random.ts'
import { sameDigest } from '../crypto/digest.ts'
import type { Write } from '../storage/port.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import type { ApplicationType } from './permissions.ts'
import { sessionCaller } from './session.ts'

/** Where an API key leads. Its id is the key's digest; the key itself is nowhere. */
export interface KeyRecord {
  readonly id: string
  readonly tenant: string
  readonly application: string
  /** Set where it is the key of a session that this application created. */
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

export function digestKey(root: TenantStore, key: string): string {
  return root.apiKeyDigest(key)
}

export function insertKey(root: TenantStore, record: KeyRecord): Write {
  return root.insert('key', record)
}

/** As `authenticate`, without waiting, where all it takes is at hand; `undefined` says nothing. */
export function authenticateAtOnce(store: SealedStore, key: string, nowUs: number): Caller | undefined {
  const root = store.peekRoot()
  if (!root) return undefined
  const digest = digestKey(root, key)
  const found = root.peek<KeyRecord>('key', digest)
  if (!found || found.value.session !== undefined) return undefined
  const { value } = found
  const application = store
    .peekTenant(value.tenant)
    ?.peek<ApplicationRecord>('application', value.application)
  return application && callerOf(value, digest, application.value, nowUs)
}

/** Who this key belongs to; `undefined` where it is unknown, or its application is gone or over. */
export async function authenticate(
  store: SealedStore,
  key: string,
  nowUs: number,
): Promise<Caller | undefined> {
  const root = await store.root(nowUs)
  const digest = digestKey(root, key)
  const found = await root.get<KeyRecord>('key', digest)
  if (!found) return undefined
  const { value } = found
  const tenant = await store.tenant(value.tenant)
  if (value.session !== undefined) {
    return tenant && sameDigest(value.id, digest)
      ? sessionCaller(tenant, value.session, digest, nowUs)
      : undefined
  }
  const application = await tenant?.get<ApplicationRecord>('application', value.application)
  return application && callerOf(value, digest, application.value, nowUs)
}

function callerOf(
  key: KeyRecord,
  digest: string,
  application: ApplicationRecord,
  nowUs: number,
): Caller | undefined {
  if (!sameDigest(key.id, digest) || application.key_digest !== digest) return undefined
  return applicationAsCaller(key.tenant, application, nowUs)
}
