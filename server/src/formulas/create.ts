import type { Caller } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Write, Written } from '../storage/port.ts'
import { type FormulasContext, isOperator, officialStore, tenantStore } from './context.ts'
import { type Formula, type FormulaInput, readFormula, showFormula } from './formula.ts'

/**
 * @param companion writes that belong into the same commit, made from the id
 * @throws {ServiceError} validation, permission_denied, idempotency_conflict
 */
export async function createFormula(
  context: FormulasContext,
  caller: Caller,
  input: FormulaInput,
  companion: (id: string) => readonly Write[] = () => [],
): Promise<Formula> {
  const content = readFormula(input)
  const own = await tenantStore(context, caller.tenant)
  if (content.type === 'official' && !(await isOperator(own))) throw notOperator()
  const store = content.type === 'official' ? await officialStore(context) : own
  const record = { id: context.random.uuid(), ...content, created_by: caller.application }
  const result = await context.store.commit(
    [
      store.insert('formula', record),
      // In the log of who did it: an official formula has no tenant's log of its own.
      auditEntry(own, context.random, {
        operation: 'reactor:create',
        entity_type: 'reactor_formula',
        entity_id: record.id,
        actor: caller.application,
      }),
      ...companion(record.id),
    ],
    context.nowUs(),
  )
  if (!result.ok) throw new ServiceError('idempotency_conflict', 'this request is being answered already')
  return showFormula({ value: record, ...(result.written[0] as Written) })
}

export function notOperator(): ServiceError {
  return new ServiceError('permission_denied', "official formulas are written by the operator's tenant alone")
}
