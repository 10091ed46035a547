import type { Digest } from '../storage/port.ts'
import type { OpenedRecord, RecordIndex, RecordValue, TenantStore } from '../storage/records/sealed.ts'
import { type ApplicationRecord, isApplicationOver } from './application.ts'
import type { Caller } from './caller.ts'
import type { Rights } from './rules.ts'

/** A session as it is kept: of its key and its nonce digests only. */
export interface SessionRecord extends RecordValue {
  /** The public application that created it. */
  readonly application: string
  readonly key_digest: string
  readonly nonce_digest: string
  /** Epoch milliseconds from which it is over. */
  readonly expires_ms: number
  /** Absent until a private application has authorized it. */
  readonly grant?: Grant
}

/** What a session was granted, and by which application. */
export interface Grant extends Rights {
  readonly authorizer: string
}

const nothing: Rights = { permissions: [], rules: [] }

/** Found by the applications it stands on, and due when it is over. */
export function sessionIndex(store: TenantStore, { application, grant, expires_ms }: SessionRecord) {
  const applications = new Set([application, ...(grant ? [grant.authorizer] : [])])
  return {
    terms: [...applications].map(id => sessionsOfTerm(store, id)),
    dueMs: expires_ms,
  } satisfies RecordIndex
}

/** On every session that this application created or authorized. */
export function sessionsOfTerm(store: TenantStore, application: string): Digest {
  return store.term('application', application)
}

export function isSessionOver({ expires_ms }: SessionRecord, nowUs: number): boolean {
  return expires_ms * 1000 <= nowUs
}

/**
 * Who the key of a session speaks for; `undefined` once the session is over, or one of the applications it
 * stands on is: the one that created it, and the one whose rights it borrows. Their rights are those of this
 * moment, so what the authorizer loses its sessions lose with it.
 */
export async function sessionCaller(
  store: TenantStore,
  id: string,
  keyDigest: string,
  nowUs: number,
): Promise<Caller | undefined> {
  const session = await store.get<SessionRecord>('session', id)
  if (session?.value.key_digest !== keyDigest) return undefined
  return callerOfSession(store, session.value, nowUs)
}

/** The same without the key, for what was accepted from a session and runs later. */
export async function callerOfSession(
  store: TenantStore,
  session: SessionRecord,
  nowUs: number,
): Promise<Caller | undefined> {
  if (isSessionOver(session, nowUs)) return undefined
  const { id, application, grant } = session
  const [creator, authorizer] = await store.getMany<ApplicationRecord>(
    'application',
    grant ? [application, grant.authorizer] : [application],
  )
  if (!isLive(creator, nowUs)) return undefined
  // Requirements: SES-504
  const caller = { tenant: store.tenant, application, type: creator.value.type, session: id }
  // Requirements: SES-003
  if (!grant) return { ...caller, rights: nothing }
  if (!isLive(authorizer, nowUs)) return undefined
  // Requirements: SES-005
  return { ...caller, rights: grant, limit: authorizer.value }
}

function isLive(
  application: OpenedRecord<ApplicationRecord> | undefined,
  nowUs: number,
): application is OpenedRecord<ApplicationRecord> {
  return application !== undefined && !isApplicationOver(application.value, nowUs)
}
