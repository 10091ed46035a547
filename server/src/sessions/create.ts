import { digestOfKey, insertKey, makeKey } from '../access/keys.ts'
import { isSessionOver, type SessionRecord, sessionIndex } from '../access/session.ts'
import { ServiceError } from '../base/errors.ts'
import type { CreateSessionResponse } from '../contract/types.ts'
import { limits } from '../generated/facts.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import {
  callingApplication,
  digestNonce,
  type NonceRecord,
  sessionEntry,
  storesOf,
  type TenantSessions,
} from './session-parts.ts'

export type RecordedSession = RecordedEntity & {
  readonly details: Pick<CreateSessionResponse, 'session_key' | 'nonce'>
}

/** Makes a short-lived key for the calling application. It may do nothing until it is authorized by the nonce. */
// Requirements: SES-001
export async function createSession(
  sessions: TenantSessions,
  receipt?: Receipt<RecordedSession>,
): Promise<CreateSessionResponse> {
  const { parts, caller } = sessions
  const { random, clock } = parts
  const stores = await storesOf(sessions)
  const { root, store } = stores
  const { tenant } = caller
  const key = makeKey('session', random, { root, tenant })
  const nonce = `nonce_${Buffer.from(random.bytes(24)).toString('base64url')}`
  return transact(
    store,
    clock,
    async () => {
      const { application } = caller
      const { unchanged } = await callingApplication(sessions)
      const session: SessionRecord = {
        id: random.uuid(),
        application,
        key_digest: digestOfKey(root, tenant, key),
        nonce_digest: digestNonce(store, nonce),
        // Requirements: SES-002, SES-009, SES-016, SES-542
        expires_ms: Math.floor(clock.nowUs() / 1000) + limits.sessionLifetime,
      }
      const { id, key_digest, nonce_digest, expires_ms } = session
      const pointer: NonceRecord = { id: nonce_digest, session: id }
      return {
        writes: [
          unchanged,
          store.insert('session', session, sessionIndex(store, session)),
          store.insert('nonce', pointer),
          insertKey(stores, { id: key_digest, tenant, application, session: id }),
          sessionEntry(parts, store, 'session:create', id, application),
        ],
        recorded: { entity: id, details: { session_key: key, nonce } },
        result: () => ({ session_key: key, nonce, expires_at: new Date(expires_ms).toISOString() }),
      }
    },
    receipt,
  )
}

/** Returns the expiration of a session, ISO 8601. @throws {ServiceError} not_found, if it is expired or gone */
export async function readSessionEnd(sessions: TenantSessions, id: string): Promise<string> {
  const { parts, store } = sessions
  const session = await store.get<SessionRecord>('session', id)
  if (session && !isSessionOver(session.value, parts.clock.nowUs())) {
    return new Date(session.value.expires_ms).toISOString()
  }
  throw new ServiceError('not_found', 'the session of this idempotency key has expired')
}
