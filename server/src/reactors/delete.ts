import type { Caller } from '../access/caller.ts'
import { changeUsageCount } from '../access/usage-counts.ts'
import { tenantStore } from '../formulas/context.ts'
import { findFormula } from '../formulas/find.ts'
import { transact } from '../storage/transact.ts'
import type { ReactorsContext } from './context.ts'
import { reactorEntry } from './parts.ts'
import { existingReactor } from './reactor.ts'

/** Removes a reactor. Its formula and application can be deleted then. @throws {ServiceError} not_found */
// Requirements: REA-015
export async function deleteReactor(context: ReactorsContext, caller: Caller, id: string): Promise<void> {
  const store = await tenantStore(context, caller.tenant)
  await transact(context, async () => {
    const { value, version } = await existingReactor(store, id)
    const formula = await findFormula(context, caller.tenant, value.formula)
    return {
      writes: [
        store.remove('reactor', value.id, version),
        ...(formula?.store ? await changeUsageCount(formula.store, 'formula', value.formula, -1) : []),
        ...(value.application === undefined
          ? []
          : await changeUsageCount(store, 'application', value.application, -1)),
        reactorEntry(context, store, 'reactor:delete', value.id, caller.application),
      ],
      result: () => {},
    }
  })
}
