import type { Random } from '../base/random.ts'
import { sameDigest } from '../crypto/digest.ts'
import type { Write } from '../storage/port.ts'
import type { SealedStore, TenantStore } from '../storage/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import type { Caller } from './caller.ts'
import type { ApplicationType } from './permissions.ts'

/** Where an API key leads. Its id is the key's digest; the key itself is nowhere. */
export interface KeyRecord {
  readonly id: string
  readonly tenant: string
  readonly application: string
}

const prefixes: Record<ApplicationType, string> = {
  public: 'key_pub_',
  private: 'key_prv_',
  management: 'key_mgt_',
}

/** A new API key: a readable prefix and 192 random bits. */
export function makeKey(type: ApplicationType, random: Random): string {
  return prefixes[type] + Buffer.from(random.bytes(24)).toString('base64url')
}

export function digestKey(root: TenantStore, key: string): string {
  return root.apiKeyDigest(key)
}

export function insertKey(root: TenantStore, record: KeyRecord): Write {
  return root.insert('key', record)
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
  if (!found || !sameDigest(found.value.id, digest)) return undefined
  const tenant = await store.tenant(found.value.tenant)
  const application = await tenant?.get<ApplicationRecord>('application', found.value.application)
  if (!application) return undefined
  const { value } = application
  if (value.key_digest !== digest) return undefined
  if (value.expires_ms !== undefined && value.expires_ms * 1000 <= nowUs) return undefined
  return {
    tenant: found.value.tenant,
    application: value.id,
    type: value.type,
    rights: { permissions: value.permissions, rules: value.rules },
  }
}
