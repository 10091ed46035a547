import { invalid, ServiceError } from '../base/errors.ts'
import { checkCallbackUrl } from '../egress/callback-url.ts'
import { OpenedRecord } from '../storage/records/sealed.ts'
import { type Receipt, transact } from '../storage/transact.ts'
import { type WebhooksContext, webhookLimits } from './context.ts'
import type { Claimed, ContentRecord, Job, ScheduleRecord } from './job.ts'

/** @throws {ServiceError} validation, at `callback_url`, if webhooks may not be sent there */
export function refuseCallback({ callbacks }: WebhooksContext, callbackUrl: string): void {
  const fault = checkCallbackUrl(callbackUrl, callbacks)
  if (fault !== undefined) throw invalid('callback_url', fault)
}

/**
 * Stores a job, which is due at once. From then on it survives the death of the process.
 * @throws {ServiceError} validation; rate_limited, if the tenant has too many; idempotency_conflict
 */
export async function accept(context: WebhooksContext, job: Job, receipt?: Receipt): Promise<Claimed> {
  refuseCallback(context, job.callbackUrl)
  const { tenant, args, ...about } = job
  const store = await context.store.tenant(tenant)
  if (!store) throw new Error('a caller without a tenant')
  const most = context.limits?.jobsPerTenant ?? webhookLimits.jobsPerTenant
  // At time 0 no job is due yet, so that all of them are counted.
  const { total } = await store.find('job', { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 })
  if (total >= most) {
    throw new ServiceError(
      'rate_limited',
      `${most} asynchronous invocations are unfinished; try again when some are done`,
      {
        headers: { 'Retry-After': '30' },
      },
    )
  }
  const id = `msg_${context.random.uuid()}`
  const schedule: ScheduleRecord = {
    id,
    stage: 'waiting',
    timeout_ms: job.timeoutMs,
    runs: 0,
    failures: 0,
  }
  const content: ContentRecord = { id, args, about }
  const write = store.insert('job', schedule, { dueMs: context.clock.nowMs() })
  return transact(
    { store, nowUs: () => context.clock.nowUs() },
    async () => ({
      writes: [write, store.insert('job-content', content)],
      kept: {},
      result: written => ({ store, schedule: new OpenedRecord(schedule, written(write)) }),
      onConflict: () => {
        throw new Error('a new job could not be stored')
      },
    }),
    receipt,
  )
}
