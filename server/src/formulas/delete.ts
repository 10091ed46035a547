import type { Caller } from '../access/caller.ts'
import { endOfUses } from '../access/uses.ts'
import { auditEntry } from '../audit/entries.ts'
import { type FormulasContext, tenantStore } from './context.ts'
import { existingFormula } from './find.ts'
import { writableStore } from './update.ts'

/** Removes a formula that no reactor of any tenant uses. @throws {ServiceError} not_found, permission_denied, in_use */
// Requirements: FOR-015, FOR-016
export async function deleteFormula(context: FormulasContext, caller: Caller, id: string): Promise<void> {
  const own = await tenantStore(context, caller.tenant)
  for (;;) {
    const found = await existingFormula(context, caller.tenant, id)
    const store = await writableStore(context, caller, found)
    const { value, version } = found.record
    const result = await context.store.commit(
      [
        store.remove('formula', value.id, version),
        // A reactor that is being made at this moment counts its use, and then this does not hold.
        ...(await endOfUses(store, 'formula', value.id)),
        auditEntry(own, context.random, {
          operation: 'reactor:delete',
          entity_type: 'reactor_formula',
          entity_id: value.id,
          actor: caller.application,
        }),
      ],
      context.nowUs(),
    )
    if (result.ok) return
  }
}
