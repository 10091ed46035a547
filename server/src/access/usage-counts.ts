import { ServiceError } from '../base/errors.ts'
import type { Write } from '../storage/port/port.ts'
import type { RecordValue, TenantRecords } from '../storage/records/records.ts'

/** Things that reactors use. They cannot be deleted while one does. */
type Usable = 'formula' | 'application'

/** The number of reactors that use something. It changes in the commits that make and delete these. */
interface UsageCount extends RecordValue {
  readonly count: number
}

const idOf = (kind: Usable, id: string) => `uses of ${kind} ${id}`

/**
 * Returns the write that adds to a usage count. Its condition fails if the count was changed or removed meanwhile: then
 * start over.
 *
 * @param store of the thing itself, which may be used by reactors of other tenants
 */
export async function changeUsageCount(
  store: TenantRecords,
  kind: Usable,
  id: string,
  change: 1 | -1,
): Promise<Write> {
  const current = await store.get<UsageCount>('setting', idOf(kind, id))
  const count = Math.max(0, (current?.value.count ?? 0) + change)
  const record: UsageCount = { id: idOf(kind, id), count }
  return current ? store.replace('setting', current.version, record) : store.insert('setting', record)
}

/**
 * Returns the writes that belong into the commit that deletes a thing. Their conditions hold only if nothing uses it.
 * @throws {ServiceError} in_use
 */
// Requirements: APP-504, FOR-504
export async function removeUsageCount(store: TenantRecords, kind: Usable, id: string): Promise<Write[]> {
  const current = await store.get<UsageCount>('setting', idOf(kind, id))
  if (!current) return [store.expect('setting', idOf(kind, id), 0)]
  if (current.value.count > 0) {
    throw new ServiceError(
      'in_use',
      kind === 'application'
        ? 'a reactor uses this application; delete or change it first'
        : 'a reactor uses this formula; delete the reactor first',
    )
  }
  return [store.remove('setting', idOf(kind, id), current.version)]
}
