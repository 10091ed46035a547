import { nextTurn } from '../../base/flow/event-loop.ts'
import type { DocumentKind, Query } from '../port/port.ts'
import type { OpenedRecord, RecordValue } from './opened-record.ts'
import type { TenantRecords } from './tenant-records.ts'

/** Records of a page. Large ones are opened one at a time. Other requests have their turn between pages. */
const pageSize = 200

/**
 * Yields all records that match, oldest first, without those that do not open. Continues after the time of a record, not
 * after a number of them: one that is deleted in the meantime must not move others to a page that was read before.
 */
export async function* allRecords<T extends RecordValue>(
  store: TenantRecords,
  kind: DocumentKind,
  query: Query,
  nowMs: number,
): AsyncGenerator<OpenedRecord<T>> {
  for (let afterUs: number | undefined; ; ) {
    const page = { nowMs, offset: 0, limit: pageSize, oldestFirst: true }
    const { records, lastUs } = await store.findPage<T>(kind, query, {
      ...page,
      ...(afterUs === undefined ? {} : { afterUs }),
    })
    yield* records
    if (lastUs === undefined) return
    afterUs = lastUs
    await nextTurn()
  }
}
