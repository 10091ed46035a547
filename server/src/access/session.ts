import type { Digest } from '../storage/port/port.ts'
import type { OpenedRecord, RecordIndex, RecordValue, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, isApplicationOver } from './application.ts'
import type { Caller } from './caller.ts'
import type { Rights } from './rules.ts'

/** A stored session, with digests of its key and its nonce. */
export interface SessionRecord extends RecordValue {
  /** The public application that created it. */
  readonly application: string
  readonly key_digest: string
  readonly nonce_digest: string
  /** Epoch milliseconds. */
  readonly expires_ms: number
  /** Absent until a private application has authorized it. */
  readonly grant?: Grant
}

/** The rights granted to a session, and the application that granted them. */
interface Grant extends Rights {
  readonly authorizer: string
}

const noRights: Rights = { permissions: [], rules: [] }

/** A session is found by the applications it depends on, and due when it expires. */
export function sessionIndex(store: TenantRecords, { application, grant, expires_ms }: SessionRecord) {
  const applications = new Set([application, ...(grant ? [grant.authorizer] : [])])
  return {
    terms: [...applications].map(id => sessionsOfTerm(store, id)),
    dueMs: expires_ms,
  } satisfies RecordIndex
}

/** The term of every session that this application created or authorized. */
export function sessionsOfTerm(store: TenantRecords, application: string): Digest {
  return store.term('application', application)
}

export function isSessionOver({ expires_ms }: SessionRecord, nowUs: number): boolean {
  return expires_ms * 1000 <= nowUs
}

/**
 * Returns the caller that a session stands for; `undefined` if the session, the application that created it or the one
 * that authorized it is gone or expired. Rights are the present ones: what the authorizer loses, its sessions lose.
 *
 * @param keyDigest of the key that was sent; absent for an asynchronous job that the session started
 */
export function sessionCaller(
  store: TenantRecords,
  id: string,
  nowUs: number,
  keyDigest?: string,
): Caller | undefined | Promise<Caller | undefined> {
  return store.lookUp<SessionRecord, Caller | undefined>('session', id, async ({ value: session }) => {
    if (isSessionOver(session, nowUs)) return undefined
    if (keyDigest !== undefined && session.key_digest !== keyDigest) return undefined
    const { application, grant } = session
    const ids = grant ? [application, grant.authorizer] : [application]
    const [creator, authorizer] = await store.getMany<ApplicationRecord>('application', ids)
    // Requirements: SES-544
    if (!isLive(creator, nowUs)) return undefined
    // Requirements: SES-504
    const caller = { tenant: store.tenant, application, type: creator.value.type, session: id }
    // Requirements: SES-003, SES-014, SES-540
    if (!grant) return { ...caller, rights: noRights }
    if (!isLive(authorizer, nowUs)) return undefined
    // Requirements: SES-005, SES-015, SES-541
    return { ...caller, rights: grant, authorizerRights: authorizer.value }
  })
}

function isLive(
  application: OpenedRecord<ApplicationRecord> | undefined,
  nowUs: number,
): application is OpenedRecord<ApplicationRecord> {
  return application !== undefined && !isApplicationOver(application.value, nowUs)
}
