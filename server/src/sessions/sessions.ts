import type { SessionRecord } from '../access/session.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { endExpiredSession, endSessionsOf } from './end.ts'
import type { SessionParts } from './session-parts.ts'

/** Short-lived keys for web pages. */
export class Sessions {
  readonly parts: SessionParts

  constructor(parts: SessionParts) {
    this.parts = parts
  }

  endExpired(store: TenantStore, session: OpenedRecord<SessionRecord>): Promise<boolean> {
    return endExpiredSession(this.parts, store, session)
  }

  endOf(store: TenantStore, application: string, actor: string | null): Promise<void> {
    return endSessionsOf(this.parts, store, application, actor)
  }
}
