import type { Caller } from '../access/caller.ts'
import { countUse } from '../access/uses.ts'
import { auditEntry } from '../audit/entries.ts'
import { tenantStore } from '../formulas/context.ts'
import { findFormula } from '../formulas/find.ts'
import type { ReactorsContext } from './context.ts'
import { existingReactor } from './reactor.ts'

/** Removes a reactor. Its formula and application may be deleted from then on. @throws {ServiceError} not_found */
// Requirements: REA-015
export async function deleteReactor(context: ReactorsContext, caller: Caller, id: string): Promise<void> {
  const store = await tenantStore(context, caller.tenant)
  for (;;) {
    const { value, version } = await existingReactor(store, id)
    const formula = await findFormula(context, caller.tenant, value.formula)
    const result = await context.store.commit(
      [
        store.remove('reactor', value.id, version),
        ...(formula?.store ? await countUse(formula.store, 'formula', value.formula, -1) : []),
        ...(value.application === undefined
          ? []
          : await countUse(store, 'application', value.application, -1)),
        auditEntry(store, context.random, {
          operation: 'reactor:delete',
          entity_type: 'reactor',
          entity_id: value.id,
          actor: caller.application,
        }),
      ],
      context.nowUs(),
    )
    if (result.ok) return
  }
}
