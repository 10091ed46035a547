import { type AuditRecord, entityTerm } from '../audit/entries.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Clock } from '../base/time/clock.ts'
import { formatMicros, parseMicros } from '../base/time/date-time.ts'
import type { LogEntityType, LogEntry } from '../contract/types.ts'
import { matchAll, matchTerm, type Query } from '../storage/port/port.ts'
import type { OpenedRecord, Records, TenantRecords } from '../storage/records/records.ts'
import type { Caller } from './caller.ts'
import { tenantStore } from './tenant-settings.ts'

interface LogParts {
  readonly records: Records
  readonly audit: Pick<AuditRecorder, 'settled'>
  readonly clock: Pick<Clock, 'nowUs'>
}

interface LogFilter {
  readonly entity_type?: LogEntityType
  readonly entity_id?: string
  /** Date-times, both inclusive. */
  readonly from?: string
  readonly to?: string
  /** A date-time, exclusive. */
  readonly after?: string
}

/** Returns epoch microseconds, from 0 on: the clock has no leap seconds, and no entry is older. */
const stampOf = (time: string) => Math.max(0, parseMicros(time)) || 0

/** The audit log as callers read it. */
export class AuditLog {
  readonly #parts: LogParts

  constructor(parts: LogParts) {
    this.#parts = parts
  }

  async list(caller: Caller, filter: LogFilter & PageRequest): Promise<Page<LogEntry>> {
    const store = await tenantStore(this.#parts.records, caller.tenant)
    // All actions that were answered before are in it then.
    await this.#parts.audit.settled()
    const { total, records } = await store.findReadable<AuditRecord>('audit', queryOf(store, filter), {
      nowMs: this.#parts.clock.nowUs() / 1000,
      offset: offsetOf(filter),
      limit: filter.size,
    })
    return toPage(
      records.map(record => shown(store, record)),
      total,
      filter,
    )
  }
}

function queryOf(store: TenantRecords, { entity_type, entity_id, from, to, after }: LogFilter): Query {
  return matchAll([
    entity_type === undefined ? { op: 'all' } : matchTerm(store.term('entity_type', entity_type)),
    entity_id === undefined ? { op: 'all' } : matchTerm(entityTerm(store, entity_id)),
    from === undefined ? { op: 'all' } : { op: 'created', fromUs: parseMicros(from) },
    to === undefined ? { op: 'all' } : { op: 'created', toUs: parseMicros(to) },
    after === undefined ? { op: 'all' } : { op: 'created', fromUs: stampOf(after) + 1 },
  ])
}

function shown(store: TenantRecords, { value, createdUs }: OpenedRecord<AuditRecord>): LogEntry {
  const { actor_id, superseded: _superseded, ...shown } = value
  return {
    ...shown,
    ...(actor_id === null ? {} : { actor_id }),
    tenant_id: store.tenant,
    created_at: formatMicros(createdUs),
  }
}
