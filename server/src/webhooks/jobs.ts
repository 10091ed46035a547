import type { RoomParts, Scope } from '../access/room.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { Job as ShownJob } from '../contract/types.ts'
import { matchTerm } from '../storage/port/port.ts'
import { removal } from './claim.ts'
import { contentOf, jobTerm, type ScheduleRecord } from './job.ts'

interface JobFilter extends PageRequest {
  /** An application or a session. */
  readonly requested_by?: string
}

/** Returns a page of the unfinished jobs of the caller's tenant. */
// Requirements: INV-546
export async function listJobs({ store }: Scope<RoomParts>, filter: JobFilter): Promise<Page<ShownJob>> {
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

/** A job that is worked on changes a few times in its life, so that few attempts meet a change. */
const mostAttempts = 10

/**
 * Removes an unfinished job. A process that works on it finds out by its next commit, which fails.
 * @throws {ServiceError} not_found
 */
// Requirements: INV-547
export async function cancelJob({ parts, store, caller }: Scope<RoomParts>, id: string): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const schedule = await store.get<ScheduleRecord>('job', id)
    if (!schedule) throw new ServiceError('not_found', 'there is no unfinished job with this id')
    const job = { store, schedule }
    const content = await store.readable(() => contentOf(job))
    const entry = auditEntry(store, parts.random, {
      operation: 'job:cancel',
      entity_type: 'reactor',
      entity_id: schedule.value.reactor,
      actor: caller.application,
      session: caller.session,
    })
    const result = await store.commit([...removal(job, content), entry], parts.clock.nowUs())
    if (result.ok) return
  }
  throw new ServiceError('unavailable', 'the job changes at the moment; try again', {
    headers: { 'Retry-After': '1' },
  })
}
