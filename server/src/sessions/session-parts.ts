import type { ApplicationRecord } from '../access/application.ts'
import type { RoomParts, Scope } from '../access/room.ts'
import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Write } from '../storage/port/port.ts'
import type { RecordValue, TenantRecords } from '../storage/records/records.ts'

/** The sessions of one tenant, as a request of a caller works on them. */
export type TenantSessions = Scope<RoomParts>

/** Leads from a nonce to its session. Its id is the nonce's digest; the nonce itself is not stored. */
export interface NonceRecord extends RecordValue {
  readonly session: string
}

export function digestNonce(store: TenantRecords, nonce: string): string {
  return store.publicDigest('nonce', nonce)
}

export async function storesOf({ parts, store }: TenantSessions) {
  return { root: await parts.records.root(parts.clock.nowUs()), store }
}

/**
 * Returns the calling application, and the condition that it is unchanged at the commit: a session must not outlive an
 * application that is deleted at the same time.
 * @throws {ServiceError} unauthenticated, if it is gone
 */
export async function callingApplication({
  store,
  caller: { application },
}: TenantSessions): Promise<{ readonly value: ApplicationRecord; readonly unchanged: Write }> {
  const record = await store.get<ApplicationRecord>('application', application)
  if (!record) throw new ServiceError('unauthenticated', 'the API key is unknown or expired')
  return { value: record.value, unchanged: store.expect('application', application, record.version) }
}

export const sessionEntry = entriesOf('session')
