import type { ApplicationRecord } from '../access/application.ts'
import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenant-settings.ts'
import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Write } from '../storage/port/port.ts'
import type { Records, RecordValue, TenantRecords } from '../storage/records/records.ts'

export interface SessionParts {
  readonly records: Records
  readonly random: Random
  readonly clock: Pick<Clock, 'nowUs'>
}

/** Leads from a nonce to its session. Its id is the nonce's digest; the nonce itself is not stored. */
export interface NonceRecord extends RecordValue {
  readonly session: string
}

export function digestNonce(store: TenantRecords, nonce: string): string {
  return store.publicDigest('nonce', nonce)
}

export async function storesOf({ records, clock }: SessionParts, { tenant }: Pick<Caller, 'tenant'>) {
  const root = await records.root(clock.nowUs())
  return { root, store: await tenantStore(records, tenant) }
}

/**
 * Returns the calling application, and the condition that it is unchanged at the commit: a session must not outlive an
 * application that is deleted at the same time.
 * @throws {ServiceError} unauthenticated, if it is gone
 */
export async function callingApplication(
  store: TenantRecords,
  { application }: Caller,
): Promise<{ readonly value: ApplicationRecord; readonly unchanged: Write }> {
  const record = await store.get<ApplicationRecord>('application', application)
  if (!record) throw new ServiceError('unauthenticated', 'the API key is unknown or expired')
  return { value: record.value, unchanged: store.expect('application', application, record.version) }
}

export const sessionEntry = entriesOf('session')
