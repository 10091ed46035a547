import type { JsonValue } from '../base/json.ts'
import type { OpenedRecord, RecordValue, TenantStore } from '../storage/records/sealed.ts'
import type { JobAnswer } from './reaction.ts'

/** An invocation that runs on its own. It holds expressions, never the data that they stand for. */
export interface Job {
  readonly tenant: string
  /** Who asked for it. */
  readonly application: string
  readonly session?: string
  readonly reactor: string
  /** As sent: an object, or one expression. */
  readonly args: JsonValue
  readonly callbackUrl: string
  /** How long the formula may run, in milliseconds. */
  readonly timeoutMs: number
  /** Of the request that asked for it. */
  readonly traceId: string
  /** How many formulas the request came through; 0 from outside. */
  readonly depth: number
}

/**
 * `waiting`: the formula is still to run. `delivery`: what came of it is still to be delivered. A job goes from
 * the one to the other in the commit that stores its tokens.
 */
export type Stage = 'waiting' | 'delivery'

/** When a job is next to be worked on, and how often it was: small, as it is rewritten at each step. */
export interface ScheduleRecord extends RecordValue {
  /** Also of the job's content, and the `webhook-id` that its receiver sees at each attempt. */
  readonly id: string
  readonly stage: Stage
  readonly timeout_ms: number
  /** How often the formula was started. */
  readonly runs: number
  /** How many deliveries have failed. */
  readonly failures: number
}

/** What a job is about: written once a stage, removed with the schedule. */
export interface ContentRecord extends RecordValue {
  /** While it waits. What is no longer needed is erased with the commit that makes it so. */
  readonly args?: JsonValue
  /** From then on: what came of it, with its tokens by their ids. */
  readonly answer?: JobAnswer
  /** The body as it was first sent, once an attempt has failed: every attempt sends the same. */
  readonly body?: string
  readonly about: Omit<Job, 'args' | 'tenant'>
}

/** A job as this process has seen it last, or claimed it. */
export interface Claimed {
  readonly store: TenantStore
  readonly schedule: OpenedRecord<ScheduleRecord>
}

/** A job's content, as it is now. */
export function contentOf({ store, schedule }: Claimed): Promise<OpenedRecord<ContentRecord> | undefined> {
  return store.get<ContentRecord>('job-content', schedule.value.id)
}
