import type { SessionRecord } from '../access/session.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { endExpiredSession, endSessionsOf } from './end.ts'
import type { SessionParts } from './session-parts.ts'

/** Short-lived keys for web pages. */
export class Sessions {
  readonly parts: SessionParts

  constructor(parts: SessionParts) {
    this.parts = parts
  }

  endExpired(store: TenantRecords, session: OpenedRecord<SessionRecord>): Promise<boolean> {
    return endExpiredSession(this.parts, store, session)
  }

  endOf(store: TenantRecords, application: string, actor: string | null): Promise<void> {
    return endSessionsOf(this.parts, store, application, actor)
  }
}
