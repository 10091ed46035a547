import type { Reply, Send, TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'

interface TestSession {
  readonly key: string
  readonly nonce: string
  readonly expiresAt: string
  /** Requests with the key of the session. */
  readonly send: Send
  /** Grants it something, with the tenant's private key or another one. */
  authorize(grant: JsonObject, as?: Send): Promise<Reply>
}

/** A session of the tenant's public application, or of another one. */
export async function openSession(tenant: TestTenant, creator = tenant.asPublic): Promise<TestSession> {
  const { status, json, text } = await creator('POST', '/sessions')
  if (status !== 201) throw new Error(`no session: ${text}`)
  return {
    key: json.session_key,
    nonce: json.nonce,
    expiresAt: json.expires_at,
    send: tenant.as(json.session_key),
    authorize: (grant, as = tenant.send) =>
      as('POST', '/sessions/authorize', { nonce: json.nonce, ...grant }),
  }
}

/** A session that was granted something. */
export async function openAuthorized(tenant: TestTenant, grant: JsonObject, as?: Send): Promise<TestSession> {
  const session = await openSession(tenant)
  const { status, text } = await session.authorize(grant, as)
  if (status !== 200) throw new Error(`not authorized: ${text}`)
  return session
}
