import { ServiceError } from '../base/errors.ts'
import type { Write } from '../storage/port.ts'
import type { RecordValue, TenantStore } from '../storage/records/sealed.ts'

/** What reactors can use, and what therefore cannot be deleted while one does. */
export type Usable = 'formula' | 'application'

/** How many reactors use something. It changes in the commits that make and delete reactors. */
interface UsesRecord extends RecordValue {
  readonly count: number
}

const idOf = (what: Usable, id: string) => `uses of ${what} ${id}`

/**
 * The write that counts one use more or less. Its commit fails where another use was counted meanwhile, or where
 * the thing was just found to be without uses and deleted: whoever commits it tries again from the start.
 *
 * @param store the view in which the thing itself is kept; a user of it may be another tenant's
 */
export async function countUse(
  store: TenantStore,
  what: Usable,
  id: string,
  change: 1 | -1,
): Promise<Write[]> {
  const current = await store.get<UsesRecord>('setting', idOf(what, id))
  const count = Math.max(0, (current?.value.count ?? 0) + change)
  const record: UsesRecord = { id: idOf(what, id), count }
  return [current ? store.replace('setting', current.version, record) : store.insert('setting', record)]
}

/**
 * The writes that belong into the commit that deletes something: they hold only as long as nothing uses it.
 * @throws {ServiceError} in_use
 */
// Requirements: APP-504, FOR-504
export async function endOfUses(store: TenantStore, what: Usable, id: string): Promise<Write[]> {
  const current = await store.get<UsesRecord>('setting', idOf(what, id))
  if (!current) return [store.expect('setting', idOf(what, id), 0)]
  if (current.value.count > 0) {
    throw new ServiceError(
      'in_use',
      `a reactor uses this ${what}; ${what === 'application' ? 'delete or change' : 'delete'} the reactor first`,
    )
  }
  return [store.remove('setting', idOf(what, id), current.version)]
}
