import type { Caller } from '../access/caller.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { ReactorFormula, ReactorFormulaRequest } from '../contract/types.ts'
import { type KeptEntity, type Receipt, transact } from '../storage/transact.ts'
import { type FormulasContext, isOperator, tenantStore } from './context.ts'
import { formulaEntry, notOperator } from './create.ts'
import { existingFormula, type FoundFormula } from './find.ts'
import { type FormulaRecord, readFormula, showFormula } from './formula.ts'

/**
 * Replaces a formula as a whole, but for its type: official and private formulas are kept in different places, and
 * who may see a formula must not change under those who use it.
 *
 * @throws {ServiceError} validation, not_found, permission_denied, idempotency_conflict
 */
// Requirements: FOR-013, FOR-014
export async function updateFormula(
  context: FormulasContext,
  caller: Caller,
  id: string,
  input: ReactorFormulaRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<ReactorFormula> {
  const content = readFormula(input)
  const own = await tenantStore(context, caller.tenant)
  return transact(
    context,
    async () => {
      const found = await existingFormula(context, caller.tenant, id)
      const { record } = found
      const store = await writableStore(context, caller, found, content.type)
      if (content.type !== record.value.type)
        throw invalid('type', `must stay ${record.value.type}: a formula keeps its type`)
      const { created_by } = record.value
      const value: FormulaRecord = {
        id: record.value.id,
        ...content,
        ...(created_by === undefined ? {} : { created_by }),
        modified_by: caller.application,
      }
      const write = store.replace('formula', record.version, value)
      return {
        writes: [write, formulaEntry(context, own, 'reactor:update', value.id, caller.application)],
        kept: { entity: value.id },
        result: written => showFormula({ value, ...written(write) }),
      }
    },
    receipt,
  )
}

/**
 * Returns the store of a formula, for a caller who may change it.
 * @param requested the type that a request gives it
 * @throws {ServiceError} permission_denied
 */
export async function writableStore(
  context: FormulasContext,
  caller: Caller,
  { record, store }: FoundFormula,
  requested = record.value.type,
) {
  const official = record.value.type === 'official' || requested === 'official'
  if (official && !(await isOperator(await tenantStore(context, caller.tenant)))) throw notOperator()
  if (store) return store
  throw new ServiceError(
    'permission_denied',
    'this formula comes with the server and cannot be changed; create another one with its code instead',
  )
}
