import type { Caller } from '../access/caller.ts'
import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { ReactorFormula, ReactorFormulaRequest } from '../contract/types.ts'
import { type KeptEntity, type Receipt, transact } from '../storage/transact.ts'
import { type FormulasContext, isOperator, officialStore, tenantStore } from './context.ts'
import { readFormula, showFormula } from './formula.ts'

/** @throws {ServiceError} validation, permission_denied, idempotency_conflict */
export async function createFormula(
  context: FormulasContext,
  caller: Caller,
  input: ReactorFormulaRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<ReactorFormula> {
  const content = readFormula(input)
  const own = await tenantStore(context, caller.tenant)
  if (content.type === 'official' && !(await isOperator(own))) throw notOperator()
  const store = content.type === 'official' ? await officialStore(context) : own
  return transact(
    context,
    async () => {
      const value = { id: context.random.uuid(), ...content, created_by: caller.application }
      const write = store.insert('formula', value)
      // An official formula belongs to no tenant: its entries are in the log of the tenant that wrote it.
      const entry = formulaEntry(context, own, 'reactor:create', value.id, caller.application)
      return {
        writes: [write, entry],
        kept: { entity: value.id },
        result: written => showFormula({ value, ...written(write) }),
      }
    },
    receipt,
  )
}

export const formulaEntry = entriesOf('reactor_formula')

export function notOperator(): ServiceError {
  return new ServiceError('permission_denied', "only the operator's tenant can write official formulas")
}
