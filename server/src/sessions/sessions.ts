import { Room, type RoomParts } from '../access/room.ts'
import type { SessionRecord } from '../access/session.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { endExpiredSession, endSessionsOf } from './end.ts'

/** Short-lived keys for web pages. */
export class Sessions extends Room<RoomParts> {
  endExpired(store: TenantRecords, session: OpenedRecord<SessionRecord>): Promise<boolean> {
    return endExpiredSession(this.parts, store, session)
  }

  endOf(store: TenantRecords, application: string, actor: string | null): Promise<void> {
    return endSessionsOf(this.parts, store, application, actor)
  }
}
