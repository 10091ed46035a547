import type { Caller } from '../access/caller.ts'
import type { SessionRecord } from '../access/session.ts'
import type { AuthorizeSessionRequest, CreateSessionResponse } from '../contract/types.ts'
import type { Receipt, RecordedEntity } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { authorizeSession } from './authorize.ts'
import { createSession, type RecordedSession, readSessionEnd } from './create.ts'
import { endExpiredSession, endSessionsOf } from './end.ts'
import type { SessionParts } from './session-parts.ts'

/** Short-lived keys for web pages. */
export class Sessions {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  create(caller: Caller, receipt?: Receipt<RecordedSession>): Promise<CreateSessionResponse> {
    return createSession(this.#parts, caller, receipt)
  }

  authorize(
    caller: Caller,
    input: AuthorizeSessionRequest,
    receipt?: Receipt<RecordedEntity>,
  ): Promise<void> {
    return authorizeSession(this.#parts, caller, input, receipt)
  }

  readEnd(caller: Caller, id: string): Promise<string> {
    return readSessionEnd(this.#parts, caller, id)
  }

  endExpired(store: TenantStore, session: OpenedRecord<SessionRecord>): Promise<boolean> {
    return endExpiredSession(this.#parts, store, session)
  }

  endOf(store: TenantStore, application: string, actor: string | null): Promise<void> {
    return endSessionsOf(this.#parts, store, application, actor)
  }
}
