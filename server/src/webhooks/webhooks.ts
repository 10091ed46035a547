import { Room } from '../access/room.ts'
import { tenantStore } from '../access/tenant-settings.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { Bounds } from '../base/flow/admission.ts'
import type { AdmittedKind } from '../base/limits.ts'
import { checkCallbackUrl } from '../egress/callback-sender.ts'
import { matchTerm, type Query } from '../storage/port/port.ts'
import { type Receipt, transact } from '../storage/port/transact.ts'
import { OpenedRecord, type TenantRecords } from '../storage/records/records.ts'
import {
  type Claimed,
  type ContentRecord,
  indexOf,
  type Job,
  jobTerm,
  type ScheduleRecord,
  type Stage,
} from './job.ts'
import { JobRunner } from './runner.ts'
import { type Performer, type WebhookLimits, type WebhookParts, webhookLimits } from './webhook-parts.ts'

/** The part of webhooks that accepts jobs. */
export interface Jobs {
  /** @throws {ServiceError} validation, at `callback_url`, if webhooks may not be sent there */
  checkCallback(callbackUrl: string): void
  /**
   * Stores a job until it is delivered. When this resolves, it survives the death of the process.
   * @throws {ServiceError} validation; rate_limited, if the tenant has too many; idempotency_conflict
   */
  accept(job: Job, receipt?: Receipt): Promise<void>
}

interface Admitted {
  readonly total: number
  readonly limit: number
  /** The number of refusals by the scope that had no room. */
  readonly refused: Readonly<Record<string, number>>
}

interface JobCounts {
  /** Not begun yet. */
  readonly due: number
  readonly running: number
}

/** Asynchronous invocations, from their acceptance to the webhook with their answer. */
export class Webhooks extends Room<WebhookParts> implements Jobs {
  readonly #limits: WebhookLimits
  readonly #refused: Record<string, number> = {}
  #runner: JobRunner | undefined

  constructor(parts: WebhookParts) {
    super(parts)
    this.#limits = { ...webhookLimits, ...parts.limits }
  }

  checkCallback(callbackUrl: string): void {
    const fault = checkCallbackUrl(callbackUrl, this.parts.callbacks)
    if (fault === undefined) return
    const isOnlyPrivate = checkCallbackUrl(callbackUrl, { allowPrivate: true }) === undefined
    throw invalid('callback_url', fault, isOnlyPrivate ? new CallbackNotPublic() : undefined)
  }

  async accept(job: Job, receipt?: Receipt): Promise<void> {
    this.checkCallback(job.callbackUrl)
    const shares = { bounds: this.#limits.jobs, refused: this.#refused }
    const accepted = await accept(this.parts, shares, job, receipt)
    const { clock, observer } = this.parts
    observer?.count('job accepted')
    clock.at(clock.nowMs(), async () => this.#runner?.add(accepted))
  }

  /** Starts to run and deliver jobs, including those of earlier processes. */
  start(performer: Performer): void {
    this.#runner ??= new JobRunner(this.parts, performer)
  }

  /** Resolves when all jobs that are due, or in progress, are done or due later. */
  async catchUp(): Promise<void> {
    await this.#runner?.catchUp()
  }

  /** Begins no more jobs and waits a while for those in progress. Jobs that do not end by then are given back. */
  async close(): Promise<void> {
    await this.#runner?.close()
  }

  /** The due jobs that this process knows of, by stage. */
  counts(): Readonly<Record<Stage, JobCounts>> {
    return this.#runner?.counts() ?? { waiting: { due: 0, running: 0 }, delivery: { due: 0, running: 0 } }
  }

  /** What is admitted, by kind of work. Jobs are those that are due. */
  admitted(): readonly (readonly [kind: AdmittedKind, admitted: Admitted])[] {
    const { waiting, delivery } = this.counts()
    const total = [waiting, delivery].reduce((sum, { due, running }) => sum + due + running, 0)
    const most = ({ total = Number.POSITIVE_INFINITY }: Bounds) => total
    const limits = this.#limits
    return [
      ['jobs', { total, limit: most(limits.jobs), refused: this.#refused }],
      ['runningJobs', { total: waiting.running, limit: most(limits.waiting), refused: {} }],
      ['deliveries', { total: delivery.running, limit: most(limits.delivery), refused: {} }],
    ]
  }
}

/** The limits on unfinished jobs, and the refusals that are counted by scope. */
interface Shares {
  readonly bounds: WebhookLimits['jobs']
  readonly refused: Record<string, number>
}

/** Stores a job, which is due at once. @throws {ServiceError} rate_limited, idempotency_conflict */
async function accept(parts: WebhookParts, shares: Shares, job: Job, receipt?: Receipt): Promise<Claimed> {
  const { tenant, args, ...about } = job
  const store = await tenantStore(parts.records, tenant)
  await refuseBeyondShare(shares, store, job)
  const id = `msg_${parts.random.uuid()}`
  const schedule: ScheduleRecord = {
    id,
    application: job.application,
    ...(job.session === undefined ? {} : { session: job.session }),
    reactor: job.reactor,
    callback_origin: new URL(job.callbackUrl).origin,
    stage: 'waiting',
    timeout_ms: job.timeoutMs,
    runs: 0,
    failures: 0,
  }
  const content: ContentRecord = { id, args, about }
  const write = store.insert('job', schedule, indexOf(store, schedule, parts.clock.nowMs()))
  return transact(
    store,
    parts.clock,
    async () => ({
      writes: [write, store.insert('job-content', content)],
      recorded: {},
      result: written => ({ store, schedule: new OpenedRecord(schedule, written(write)) }),
      onConflict: () => {
        throw new Error('a new job could not be stored')
      },
    }),
    receipt,
  )
}

/** @throws {ServiceError} rate_limited, if the tenant, the application or the session has its share of unfinished jobs */
// Requirements: INV-545
async function refuseBeyondShare(
  { bounds, refused }: Shares,
  store: TenantRecords,
  { application, session }: Job,
): Promise<void> {
  // At time 0 no job is due yet, so that all of them are counted.
  const count = async (query: Query) =>
    (await store.find('job', query, { nowMs: 0, offset: 0, limit: 0 })).total
  const scopes = [
    ['tenant', bounds.tenant, undefined],
    ['application', bounds.application, application],
    ['session', bounds.session, session],
  ] as const
  let counted = Number.POSITIVE_INFINITY
  for (const [scope, share, id] of scopes) {
    if (scope !== 'tenant' && id === undefined) continue
    // Those of a session are among those of its application, and these among those of the tenant.
    if (counted < share) continue
    counted = await count(id === undefined ? { op: 'all' } : matchTerm(jobTerm(store, id)))
    if (counted >= share) {
      refused[scope] = (refused[scope] ?? 0) + 1
      throw new ServiceError(
        'rate_limited',
        `${share} asynchronous invocations of this ${scope} are unfinished; try again when some are done, or cancel some`,
        { headers: { 'Retry-After': '30' } },
      )
    }
  }
}

/** The cause of a refused callback that an option would allow. */
export class CallbackNotPublic {}
