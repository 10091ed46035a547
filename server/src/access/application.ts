import { formatMicros } from '../base/time/micros.ts'
import type { AccessRule, Application, ApplicationType, Permission } from '../contract/types.ts'
import type { Dated } from '../storage/records/sealed.ts'

/** A stored application. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
  readonly key_digest: string
  readonly expires_at?: string
  readonly expires_ms?: number
  readonly created_by?: string
  readonly modified_by?: string
}

/** True if the application has expired, and with it its key. */
// Requirements: APP-509
export function isApplicationOver({ expires_ms }: ApplicationRecord, nowUs: number): boolean {
  return expires_ms !== undefined && expires_ms * 1000 <= nowUs
}

// Requirements: APP-501, WIR-544
export function showApplication(tenant: string, record: Dated<ApplicationRecord>): Application {
  const { key_digest: _digest, expires_ms: _ms, ...shown } = record.value
  return {
    ...shown,
    tenant_id: tenant,
    created_at: formatMicros(record.createdUs),
    ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
  }
}
