import { comparableId } from '../base/comparable-id.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Digest } from '../storage/port/port.ts'
import type { OpenedRecord, RecordIndex, RecordValue, TenantRecords } from '../storage/records/records.ts'
import type { JobAnswer } from './reaction.ts'

/** An asynchronous invocation. It contains references, never the data of their tokens. */
export interface Job {
  readonly tenant: string
  /** The application and session that requested it. */
  readonly application: string
  readonly session?: string
  readonly reactor: string
  /** As sent: an object, or one expression. */
  readonly args: JsonValue
  readonly callbackUrl: string
  /** The time limit of the formula, in milliseconds. */
  readonly timeoutMs: number
  /** Of the request. */
  readonly traceId: string
  /** The number of formulas that wait for the request; 0 for requests from outside. */
  readonly depth: number
}

/**
 * `waiting`: the formula has not run yet. `delivery`: the answer has not been delivered yet. A job changes its stage in the
 * commit that stores its tokens.
 */
export type Stage = 'waiting' | 'delivery'

/** The schedule of a job. Small, as it is rewritten at each step. */
export interface ScheduleRecord extends RecordValue {
  /** Also the id of the job's content, and the `webhook-id` that its receiver sees at each attempt. */
  readonly id: string
  /** The application and session that requested it. */
  readonly application: string
  readonly session?: string
  readonly reactor: string
  /** Its path and query may be secret. */
  readonly callback_origin: string
  readonly stage: Stage
  readonly timeout_ms: number
  /** The number of times the formula was started. */
  readonly runs: number
  /** The number of failed deliveries. */
  readonly failures: number
}

/** The content of a job. Written once for each stage, removed with the schedule. */
export interface ContentRecord extends RecordValue {
  /** In stage `waiting`. Erased by the commit that ends it. */
  readonly args?: JsonValue
  /** In stage `delivery`. */
  readonly answer?: JobAnswer
  /** The body of the first attempt, kept after it has failed: every attempt sends the same. */
  readonly body?: string
  readonly about: Omit<Job, 'args' | 'tenant'>
}

/** A job as this process has last read or claimed it. */
export interface Claimed {
  readonly store: TenantRecords
  readonly schedule: OpenedRecord<ScheduleRecord>
}

/** Returns what a job is found by: the time at which it is due, and who requested it. */
export function indexOf(
  store: TenantRecords,
  { application, session }: Pick<ScheduleRecord, 'application' | 'session'>,
  dueMs: number,
): RecordIndex {
  return {
    dueMs,
    terms: [application, ...(session === undefined ? [] : [session])].map(id => jobTerm(store, id)),
  }
}

/** Returns the term of the jobs of an application or session. */
export function jobTerm(store: TenantRecords, requester: string): Digest {
  return store.term('requester', comparableId(requester))
}

/** Reads the content of a job. */
export function contentOf({ store, schedule }: Claimed): Promise<OpenedRecord<ContentRecord> | undefined> {
  return store.get<ContentRecord>('job-content', schedule.value.id)
}
