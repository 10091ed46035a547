import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenants.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { Job as ShownJob } from '../contract/types.ts'
import { matchTerm } from '../storage/port/port.ts'
import { jobTerm, type ScheduleRecord } from './job.ts'
import type { WebhooksContext } from './webhooks-context.ts'

interface JobFilter extends PageRequest {
  /** An application or a session. */
  readonly requested_by?: string
}

/** Returns a page of the unfinished jobs of the caller's tenant. */
// Requirements: INV-546
export async function listJobs(
  context: Pick<WebhooksContext, 'store'>,
  caller: Caller,
  filter: JobFilter,
): Promise<Page<ShownJob>> {
  const store = await tenantStore(context, caller.tenant)
  const { requested_by } = filter
  const query = requested_by === undefined ? { op: 'all' as const } : matchTerm(jobTerm(store, requested_by))
  // At time 0 no job is due yet, so that all of them are found.
  const page = { nowMs: 0, offset: offsetOf(filter), limit: filter.size }
  const { total, records } = await store.findReadable<ScheduleRecord>('job', query, page)
  const shown = records.map(({ value, createdUs }) => {
    const { id, reactor, application, session, stage, failures, callback_origin } = value
    return {
      id,
      reactor_id: reactor,
      requested_by: application,
      ...(session === undefined ? {} : { session_id: session }),
      stage,
      failures,
      callback_origin,
      created_at: formatMicros(createdUs),
    }
  })
  return toPage(shown, total, filter)
}
