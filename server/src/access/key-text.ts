import type { Random } from '../base/random.ts'
import type { ApplicationType } from '../contract/types.ts'
import { digestOfUuid, uuidOfDigest } from '../storage/port/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'

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
  home?: { readonly root: TenantStore; readonly tenant: string },
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
export function tenantOfKey(root: TenantStore, key: string): string | undefined {
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
function hidden(root: TenantStore, secret: Buffer, tenant: Buffer): [Buffer, Buffer] {
  const check = root.shownDigest('key-check', `${secret.toString('hex')} ${tenant.toString('hex')}`)
  return [xor(tenant, padOf(root, secret)), Buffer.from(check, 'hex').subarray(0, checkLength)]
}

function padOf(root: TenantStore, secret: Buffer): Buffer {
  return Buffer.from(root.shownDigest('key-home', secret.toString('hex')), 'hex')
}

const bytesOf = (tenant: string) => Buffer.from(digestOfUuid(tenant), 'base64url')

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))
}
