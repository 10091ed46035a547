import type { AuditRecord } from '../audit/entries.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import { formatMicros, parseMicros } from '../base/time/date-time.ts'
import type { LogEntityType, LogEntry } from '../contract/types.ts'
import { matchAll, matchTerm, type Query } from '../storage/port/port.ts'
import type { OpenedRecord, SealedStore, TenantStore } from '../storage/records/sealed.ts'
import type { Caller } from './caller.ts'
import { tenantStore } from './tenants.ts'

export interface AuditContext {
  readonly store: SealedStore
  readonly audit: Pick<AuditRecorder, 'settled'>
  nowUs(): number
}

export interface LogFilter {
  readonly entity_type?: LogEntityType
  readonly entity_id?: string
  /** Date-times, both inclusive. */
  readonly from?: string
  readonly to?: string
  /** A date-time, exclusive. */
  readonly after?: string
}

/** Returns epoch microseconds, from 0 on: the clock has no leap seconds, and no entry is older. */
export const stampOf = (time: string) => Math.max(0, parseMicros(time)) || 0

export async function listLog(
  context: AuditContext,
  caller: Caller,
  filter: LogFilter & PageRequest,
): Promise<Page<LogEntry>> {
  const store = await settledStore(context, caller.tenant)
  const { total, records } = await store.findReadable<AuditRecord>('audit', queryOf(store, filter), {
    nowMs: context.nowUs() / 1000,
    offset: offsetOf(filter),
    limit: filter.size,
  })
  return toPage(
    records.map(record => shown(store, record)),
    total,
    filter,
  )
}

/** Entries of a log that is followed, as many as are sent at once. */
interface NextEntries {
  readonly entries: readonly LogEntry[]
  /** The time behind which to continue. */
  readonly lastUs: number
  /** True if there are more already. */
  readonly hasMore: boolean
}

/** Returns the next entries after a time, oldest first. None becomes visible before the last of them later. */
export async function nextEntries(
  context: AuditContext,
  tenant: string,
  { from: _from, after: _after, ...selected }: LogFilter,
  afterUs: number,
  limit: number,
): Promise<NextEntries> {
  // Before the entries are read: what is added in between comes with the next ones.
  const newestUs = await newestEntryUs(context, tenant)
  if (newestUs <= afterUs) return { entries: [], lastUs: afterUs, hasMore: false }
  const store = await tenantStore(context, tenant)
  const filter = queryOf(store, selected)
  // The store knows how many entries there are. How many match a filter it counts: only those that are left.
  const query: Query =
    filter.op === 'all' ? filter : matchAll([filter, { op: 'created', fromUs: afterUs + 1 }])
  const options = { nowMs: context.nowUs() / 1000, offset: 0, limit, afterUs, oldestFirst: true }
  const page = await store.findPage<AuditRecord>('audit', query, options)
  const entries: LogEntry[] = []
  // Entries that do not match, or do not open, are not read again.
  let lastUs = page.lastUs ?? newestUs
  for await (const record of page.records) {
    entries.push(shown(store, record))
    lastUs = Math.max(lastUs, record.createdUs)
  }
  return { entries, lastUs, hasMore: page.lastUs !== undefined }
}

/** Returns the time of the newest entry; 0 if there is none. */
export async function newestEntryUs(context: AuditContext, tenant: string): Promise<number> {
  const store = await settledStore(context, tenant)
  const options = { nowMs: context.nowUs() / 1000, offset: 0, limit: 1 }
  const { records, lastUs } = await store.findPage<AuditRecord>('audit', { op: 'all' }, options)
  // Known even if the newest one does not open.
  if (lastUs !== undefined) return lastUs
  for await (const { createdUs } of records) return createdUs
  return 0
}

/** Returns the store of a tenant when all actions that were answered before are in its log. */
async function settledStore(context: AuditContext, tenant: string): Promise<TenantStore> {
  const store = await tenantStore(context, tenant)
  await context.audit.settled()
  return store
}

function queryOf(store: TenantStore, { entity_type, entity_id, from, to, after }: LogFilter): Query {
  return matchAll([
    entity_type === undefined ? { op: 'all' } : matchTerm(store.term('entity_type', entity_type)),
    entity_id === undefined ? { op: 'all' } : matchTerm(store.term('entity_id', entity_id)),
    from === undefined ? { op: 'all' } : { op: 'created', fromUs: parseMicros(from) },
    to === undefined ? { op: 'all' } : { op: 'created', toUs: parseMicros(to) },
    after === undefined ? { op: 'all' } : { op: 'created', fromUs: stampOf(after) + 1 },
  ])
}

function shown(store: TenantStore, { value, createdUs }: OpenedRecord<AuditRecord>): LogEntry {
  const { actor_id, superseded: _superseded, ...shown } = value
  return {
    ...shown,
    ...(actor_id === null ? {} : { actor_id }),
    tenant_id: store.tenant,
    created_at: formatMicros(createdUs),
  }
}
