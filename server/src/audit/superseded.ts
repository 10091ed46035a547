import type { OpenedRecord, RecordValue, TenantStore } from '../storage/records/sealed.ts'
import { type AuditRecord, changesTerm } from './entries.ts'

const mostEntries = 100

/**
 * True if the audit log says that this state of the record was replaced or removed: somebody has put an earlier one back,
 * which opens, as we sealed it. If that was changed since, two entries are about the same version. Asks the entries about
 * the last hundred changes.
 */
export async function isSuperseded(store: TenantStore, record: OpenedRecord<RecordValue>): Promise<boolean> {
  const { records } = await store.findReadable<AuditRecord>(
    'audit',
    { op: 'term', term: changesTerm(store, record.value.id, record) },
    { nowMs: 0, offset: 0, limit: mostEntries },
  )
  const ended = records.map(({ value }) => value.superseded ?? 0)
  return ended.some(version => version >= record.version) || new Set(ended).size < ended.length
}
