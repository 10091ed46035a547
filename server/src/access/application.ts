import { formatMicros } from '../base/time/date-time.ts'
import type { AccessRule, Application, ApplicationType, Permission } from '../contract/types.ts'
import type { Dated } from '../storage/records/records.ts'

/** A stored application. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
  readonly key_digest: string
  /** Of the newer key, where there are two. */
  readonly second_key_digest?: string
  readonly expires_at?: string
  readonly expires_ms?: number
  readonly created_by?: string
  readonly modified_by?: string
}

/** Returns the digests of the application's keys, the older one first. */
export function keyDigests({ key_digest, second_key_digest }: ApplicationRecord): string[] {
  return second_key_digest === undefined ? [key_digest] : [key_digest, second_key_digest]
}

/** True if the application has expired, and with it its keys. */
// Requirements: APP-509
export function isApplicationOver({ expires_ms }: ApplicationRecord, nowUs: number): boolean {
  return expires_ms !== undefined && expires_ms * 1000 <= nowUs
}

// Requirements: APP-501, AUT-020, WIR-544
export function showApplication(tenant: string, record: Dated<ApplicationRecord>): Application {
  const { key_digest: _digest, second_key_digest: _second, expires_ms: _ms, ...shown } = record.value
  return {
    ...shown,
    tenant_id: tenant,
    created_at: formatMicros(record.createdUs),
    ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
  }
}
