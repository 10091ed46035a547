import type { RoomParts } from '../access/room.ts'
import type { Bounds } from '../base/flow/admission.ts'
import { admissionBounds } from '../base/limits.ts'
import type { Log } from '../base/log.ts'
import type { Observer } from '../base/observer.ts'
import type { Clock } from '../base/time/clock.ts'
import type { CallbackPolicy, CallbackSender } from '../egress/callback-sender.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Job } from './job.ts'
import type { JobAnswer } from './reaction.ts'

export interface WebhookParts extends RoomParts {
  /** True if other processes may use the store, too. */
  readonly isShared: boolean
  /** Shows the tokens of an answer. */
  readonly tokens: Pick<Tokens, 'of'>
  readonly clock: Clock
  readonly log: Log
  readonly observer?: Observer | undefined
  readonly send: CallbackSender
  readonly callbacks: CallbackPolicy
  /** The response header that names an exchange, such as `SVC-TRACE-ID`. */
  readonly traceHeader: string
  readonly limits?: Partial<WebhookLimits>
}

/** Thrown by a performer that has no process free. Nothing was done, and the job is run later. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

/** Runs jobs. */
export interface Performer {
  /**
   * Runs a job and returns its answer, or a problem document if it fails. If it commits anything, the writes of the
   * receipt belong into that commit: they turn the job into a delivery of the answer, so that a job is performed once
   * and what it made is delivered. If their conditions fail, another process has done the job, and the result does not
   * count.
   *
   * @throws {NoRoom}
   * @throws {ServiceError} idempotency_conflict, if another process has done the job
   */
  perform(job: Job, receipt: Receipt<JobAnswer>): Promise<JobAnswer>
}

export interface WebhookLimits {
  /** Formulas of asynchronous invocations, and attempts of deliveries, of this process. */
  readonly waiting: Bounds
  readonly delivery: Bounds
  /** The limits on unfinished jobs. */
  readonly jobs: Required<Pick<Bounds, 'tenant' | 'application' | 'session'>>
  /** The number of times a formula is started if the process dies while it runs. */
  readonly runs: number
  /** The time that a closing process waits for jobs in progress, in real milliseconds. */
  readonly graceMs: number
}

export const webhookLimits: WebhookLimits = {
  waiting: admissionBounds.runningJobs,
  delivery: admissionBounds.deliveries,
  jobs: admissionBounds.jobs,
  runs: 5,
  graceMs: 10_000,
}
