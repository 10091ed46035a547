import type { Caller } from '../access/caller.ts'
import { removeUsageCount } from '../access/usage-counts.ts'
import { transact } from '../storage/transact.ts'
import { type FormulasContext, tenantStore } from './context.ts'
import { formulaEntry } from './create.ts'
import { existingFormula } from './find.ts'
import { writableStore } from './update.ts'

/** Removes a formula that no reactor of any tenant uses. @throws {ServiceError} not_found, permission_denied, in_use */
// Requirements: FOR-015, FOR-016
export async function deleteFormula(context: FormulasContext, caller: Caller, id: string): Promise<void> {
  const own = await tenantStore(context, caller.tenant)
  await transact(context, async () => {
    const found = await existingFormula(context, caller.tenant, id)
    const store = await writableStore(context, caller, found)
    const { value, version } = found.record
    return {
      writes: [
        store.remove('formula', value.id, version),
        // Fails where a reactor that uses the formula is made at this moment.
        ...(await removeUsageCount(store, 'formula', value.id)),
        formulaEntry(context, own, 'reactor:delete', value.id, caller.application),
      ],
      result: () => {},
    }
  })
}
