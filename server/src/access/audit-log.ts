import type { AuditRecord } from '../audit/entries.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import { formatMicros, parseMicros } from '../base/time/micros.ts'
import type { LogEntityType, LogEntry } from '../contract/types.ts'
import { matchAll, matchTerm } from '../storage/port/query.ts'
import type { SealedStore } from '../storage/records/sealed.ts'
import type { Caller } from './caller.ts'
import { tenantStore } from './tenants.ts'

export interface AuditContext {
  readonly store: SealedStore
  readonly audit: Pick<AuditRecorder, 'settled'>
  nowUs(): number
}

interface LogFilter extends PageRequest {
  readonly entity_type?: LogEntityType
  readonly entity_id?: string
  /** Date-times, both inclusive. */
  readonly from?: string
  readonly to?: string
}

export async function listLog(
  context: AuditContext,
  caller: Caller,
  filter: LogFilter,
): Promise<Page<LogEntry>> {
  const store = await tenantStore(context, caller.tenant)
  // The list contains all actions that were answered before the request.
  await context.audit.settled()
  const { entity_type, entity_id, from, to } = filter
  const query = matchAll([
    entity_type === undefined ? { op: 'all' } : matchTerm(store.term('entity_type', entity_type)),
    entity_id === undefined ? { op: 'all' } : matchTerm(store.term('entity_id', entity_id)),
    from === undefined ? { op: 'all' } : { op: 'created', fromUs: parseMicros(from) },
    to === undefined ? { op: 'all' } : { op: 'created', toUs: parseMicros(to) },
  ])
  const { total, records } = await store.findReadable<AuditRecord>('audit', query, {
    nowMs: context.nowUs() / 1000,
    offset: offsetOf(filter),
    limit: filter.size,
  })
  const entries = records.map(({ value, createdUs }) => {
    const { actor_id, superseded: _superseded, ...shown } = value
    return {
      ...shown,
      ...(actor_id === null ? {} : { actor_id }),
      tenant_id: store.tenant,
      created_at: formatMicros(createdUs),
    }
  })
  return toPage(entries, total, filter)
}
