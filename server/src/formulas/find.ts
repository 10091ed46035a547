import { tenantStore } from '../access/tenants.ts'
import { ServiceError } from '../base/errors.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import type { FormulaRecord } from './formula.ts'
import { type FormulasContext, officialStore } from './formulas-context.ts'
import { shippedFormula } from './shipped/index.ts'

/** A formula that a tenant may use, and its store. A formula that comes with the server has none. */
export interface FoundFormula {
  readonly record: OpenedRecord<FormulaRecord>
  readonly store: TenantStore | undefined
}

/** Finds the tenant's own or an official formula. */
// Requirements: FOR-017
export async function findFormula(
  context: FormulasContext,
  tenant: string,
  id: string,
): Promise<FoundFormula | undefined> {
  const key = id.toLowerCase()
  const shipped = shippedFormula(key)
  if (shipped) return { record: shipped, store: undefined }
  for (const store of [await tenantStore(context, tenant), await officialStore(context)]) {
    const record = await store.get<FormulaRecord>('formula', key)
    if (record) return { record, store }
  }
  return undefined
}

/** @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function existingFormula(context: FormulasContext, tenant: string, id: string) {
  const found = await findFormula(context, tenant, id)
  if (found) return found
  throw new ServiceError('not_found', 'there is no formula with this id')
}
