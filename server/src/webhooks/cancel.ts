import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenants.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import { removal } from './claim.ts'
import { contentOf, type ScheduleRecord } from './job.ts'
import type { WebhooksContext } from './webhooks-context.ts'

/** A job that is worked on changes a few times in its life, so that few attempts meet a change. */
const mostAttempts = 10

/**
 * Removes an unfinished job. A process that works on it finds out by its next commit, which fails.
 * @throws {ServiceError} not_found
 */
// Requirements: INV-547
export async function cancelJob(
  context: Pick<WebhooksContext, 'store' | 'random' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const store = await tenantStore(context, caller.tenant)
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const schedule = await store.get<ScheduleRecord>('job', id)
    if (!schedule) throw new ServiceError('not_found', 'there is no unfinished job with this id')
    const job = { store, schedule }
    const content = await store.readable(() => contentOf(job))
    const entry = auditEntry(store, context.random, {
      operation: 'job:cancel',
      entity_type: 'reactor',
      entity_id: schedule.value.reactor,
      actor: caller.application,
      session: caller.session,
    })
    const result = await store.commit([...removal(job, content), entry], context.clock.nowUs())
    if (result.ok) return
  }
  throw new ServiceError('unavailable', 'the job changes at the moment; try again', {
    headers: { 'Retry-After': '1' },
  })
}
