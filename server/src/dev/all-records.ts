import type { DocumentKind } from '../storage/port.ts'
import type { RecordValue, TenantStore } from '../storage/records/sealed.ts'

const pageSize = 500

/** Reads all live records of a kind, the oldest first. */
export async function* allRecords<T extends RecordValue>(
  store: TenantStore,
  kind: DocumentKind,
  nowUs: number,
): AsyncGenerator<T> {
  for (let afterUs: number | undefined; ; ) {
    const { records } = await store.findReadable<T>(
      kind,
      { op: 'all' },
      {
        nowMs: nowUs / 1000,
        offset: 0,
        limit: pageSize,
        oldestFirst: true,
        ...(afterUs === undefined ? {} : { afterUs }),
      },
    )
    for (const { value } of records) yield value
    const last = records.at(-1)
    if (!last || records.length < pageSize) return
    afterUs = last.createdUs
  }
}
