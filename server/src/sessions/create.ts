import type { Caller } from '../access/caller.ts'
import { insertKey, makeKey } from '../access/keys.ts'
import { isSessionOver, type SessionRecord, sessionIndex } from '../access/session.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Write } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import {
  callingApplication,
  digestNonce,
  type NonceRecord,
  type SessionsContext,
  storesOf,
} from './context.ts'

/** How long a session lives unless its authorization says otherwise, in milliseconds. */
// Requirements: SES-002, SES-009
export const sessionLifetimeMs = 3 * 60 * 1000

/** A session as its creator sees it, once. */
export interface NewSession {
  readonly session_key: string
  readonly nonce: string
  /** ISO 8601, UTC, to the millisecond. */
  readonly expires_at: string
}

/**
 * A short-lived key for the calling application. It may do nothing until it is authorized by the nonce.
 *
 * @param companion writes that belong into the same commit, made from the session's id and the answer
 */
// Requirements: SES-001
export async function createSession(
  context: SessionsContext,
  caller: Caller,
  companion: (session: string, answer: NewSession) => readonly Write[] = () => [],
): Promise<NewSession> {
  const { random } = context
  const { root, store } = await storesOf(context, caller)
  const key = makeKey('session', random)
  const nonce = `nonce_${Buffer.from(random.bytes(24)).toString('base64url')}`
  for (;;) {
    const nowUs = context.nowUs()
    const { unchanged } = await callingApplication(store, caller)
    const session: SessionRecord = {
      id: random.uuid(),
      application: caller.application,
      key_digest: root.apiKeyDigest(key),
      nonce_digest: digestNonce(store, nonce),
      expires_ms: Math.floor(nowUs / 1000) + sessionLifetimeMs,
    }
    const { id, application, key_digest, nonce_digest, expires_ms } = session
    const pointer: NonceRecord = { id: nonce_digest, session: id }
    const writes = [
      unchanged,
      store.insert('session', session, sessionIndex(store, session)),
      store.insert('nonce', pointer),
      insertKey(root, { id: key_digest, tenant: caller.tenant, application, session: id }),
      auditEntry(store, random, {
        operation: 'session:create',
        entity_type: 'session',
        entity_id: id,
        actor: application,
      }),
    ]
    const answer = { session_key: key, nonce, expires_at: new Date(expires_ms).toISOString() }
    const result = await context.store.commit([...writes, ...companion(id, answer)], nowUs)
    if (result.ok) return answer
    refuseRivalReceipt(result.conflict, writes)
    // The application was changed meanwhile: look whether it is still there.
  }
}

/** When a session that was made before is over, ISO 8601. @throws {ServiceError} not_found, where it is over or gone */
export async function readSessionEnd(context: SessionsContext, caller: Caller, id: string): Promise<string> {
  const { store } = await storesOf(context, caller)
  const session = await store.get<SessionRecord>('session', id)
  if (session && !isSessionOver(session.value, context.nowUs())) {
    return new Date(session.value.expires_ms).toISOString()
  }
  throw new ServiceError('not_found', 'the session that this idempotency key stands for is over')
}
