import { checkRights, holdsAnywhere, plainRule, type Rights } from '../access/rules.ts'
import { isSessionOver, type SessionRecord, sessionIndex } from '../access/session.ts'
import { ErrorList, invalid, ServiceError } from '../base/errors.ts'
import { readExpiration } from '../base/time/expiration.ts'
import type { AuthorizeSessionRequest, Permission } from '../contract/types.ts'
import { limits } from '../generated/facts.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import {
  callingApplication,
  digestNonce,
  type NonceRecord,
  sessionEntry,
  type TenantSessions,
} from './session-parts.ts'

/**
 * Grants rights to the session of a nonce, once. Of concurrent requests one succeeds: the commit requires that the session
 * is as it was created.
 *
 * @throws {ServiceError} in this order: validation, not_found, validation of the lifetime, permission_denied, nonce_used.
 *   A refusal leaves the nonce usable.
 */
// Requirements: SES-004, SES-006, SES-008, SES-010, SES-505, SES-017
export async function authorizeSession(
  sessions: TenantSessions,
  input: AuthorizeSessionRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<void> {
  const { parts, store } = sessions
  const rights: Rights = {
    permissions: [...new Set(input.permissions ?? [])],
    // Requirements: SES-501
    rules: (input.rules ?? []).map(plainRule),
  }
  // A session can be granted the permissions that a private application may hold.
  checkRights('private', rights)
  await transact(
    store,
    parts.clock,
    async () => {
      const nowUs = parts.clock.nowUs()
      const expiration =
        typeof input.expires_at === 'string' ? readExpiration(input.expires_at, nowUs) : undefined
      const session = await liveSession(store, input.nonce, nowUs)
      // Requirements: SES-503
      if (expiration && expiration.ms > session.createdUs / 1000 + limits.longestSessionLifetime) {
        throw invalid('expires_at', 'must lie at most 24 hours after the creation of the session')
      }
      const { value: authorizer, unchanged } = await callingApplication(sessions)
      refuseWhatIsNotHeld(authorizer, rights)
      if (session.value.grant) throw new ServiceError('nonce_used', 'the session is authorized already')

      const authorized: SessionRecord = {
        ...session.value,
        grant: { authorizer: authorizer.id, ...rights },
        ...(expiration ? { expires_ms: expiration.ms } : {}),
      }
      return {
        writes: [
          store.replace('session', session.version, authorized, sessionIndex(store, authorized)),
          unchanged,
          sessionEntry(parts, store, 'session:authorize', authorized.id, authorizer.id),
        ],
        recorded: { entity: authorized.id },
        result: () => {},
      }
    },
    receipt,
  )
}

async function liveSession(
  store: TenantRecords,
  nonce: string,
  nowUs: number,
): Promise<OpenedRecord<SessionRecord>> {
  const pointer = await store.get<NonceRecord>('nonce', digestNonce(store, nonce))
  const session = pointer && (await store.get<SessionRecord>('session', pointer.value.session))
  if (!session || isSessionOver(session.value, nowUs)) {
    throw new ServiceError('not_found', 'there is no session with this nonce, or it has expired')
  }
  return session
}

/** @throws {ServiceError} permission_denied, for permissions that the granting application holds nowhere */
// Requirements: SES-502
function refuseWhatIsNotHeld(own: Rights, granted: Rights): void {
  const errors = new ErrorList()
  const check = (path: string, permissions: readonly Permission[]) => {
    for (const permission of permissions) {
      if (errors.isFull) return
      if (!holdsAnywhere(own, permission))
        errors.add(path, `${permission} is not held by the granting application`)
    }
  }
  check('permissions', granted.permissions)
  for (const [index, rule] of granted.rules.entries()) check(`rules.${index}.permissions`, rule.permissions)
  errors.refuseIfAny('an application can grant only what it holds itself', 'permission_denied')
}
