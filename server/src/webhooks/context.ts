import type { Clock } from '../base/clock.ts'
import type { JsonValue } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { CallbackSender } from '../egress/callback-sender.ts'
import type { CallbackPolicy } from '../egress/callback-url.ts'
import type { Write } from '../storage/port.ts'
import type { SealedStore } from '../storage/records/sealed.ts'
import type { Job } from './job.ts'

/** What the parts of this folder work with. */
export interface WebhooksContext {
  readonly store: SealedStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly send: CallbackSender
  readonly callbacks: CallbackPolicy
  /** The response header that names an exchange, such as `SVC-TRACE-ID`. */
  readonly traceHeader: string
  readonly limits?: Partial<WebhookLimits>
}

/** Rejected with by a performer that has no room at the moment: nothing was done, and the job waits a little more. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

/** What runs a job. */
export interface Performer {
  /**
   * Runs a job and answers the body of its webhook, the problem included where it fails: it rejects for faults of
   * ours only, and with `NoRoom`. Where it commits anything, the receipt's writes belong into that commit: they
   * turn the job into a delivery of `answer`, so that a job is performed once and what it made is delivered. A commit
   * that fails for them was overtaken by another process; what is answered then, or rejected with
   * `idempotency_conflict`, does not count.
   */
  perform(job: Job, receipt: (answer: JsonValue) => readonly Write[]): Promise<JsonValue>
  /**
   * The body of the webhook from what the receipt was given, for answers that are read anew in part; by default it
   * is that as it is.
   */
  finish?(job: Job, answer: JsonValue): Promise<JsonValue>
}

/** How much may go on at once in this process: over all tenants, and for each. */
export interface Room {
  readonly overall: number
  readonly perTenant: number
}

export interface WebhookLimits {
  /** Formulas of asynchronous invocations. */
  readonly waiting: Room
  /** Deliveries under way. */
  readonly delivery: Room
  /** How many unfinished jobs a tenant may have. */
  readonly jobsPerTenant: number
  /** How often a formula is started whose process died under it. */
  readonly runs: number
  /** How long a process that leaves waits for what is under way, in real milliseconds. */
  readonly graceMs: number
}

export const webhookLimits: WebhookLimits = {
  waiting: { overall: 8, perTenant: 4 },
  delivery: { overall: 20, perTenant: 5 },
  jobsPerTenant: 1000,
  runs: 5,
  graceMs: 10_000,
}
