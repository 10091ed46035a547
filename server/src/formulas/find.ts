import type { RoomParts, Scope } from '../access/room.ts'
import { tenantStore } from '../access/tenant-settings.ts'
import { ServiceError } from '../base/errors.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import type { FormulaRecord } from './formula.ts'
import { shippedFormula } from './shipped/index.ts'

/** The formulas that one tenant may use, as a request of a caller works on them. */
export type TenantFormulas = Scope<RoomParts>

/** Returns the server's own store, which keeps official formulas, readable by all tenants. */
export function officialStore(parts: RoomParts): Promise<TenantRecords> {
  return parts.records.root(parts.clock.nowUs())
}

/** A formula that a tenant may use, and its store. A formula that comes with the server has none. */
export interface FoundFormula {
  readonly record: OpenedRecord<FormulaRecord>
  readonly store: TenantRecords | undefined
}

/** Finds the tenant's own or an official formula. */
// Requirements: FOR-017
export async function findFormula(
  parts: RoomParts,
  tenant: string,
  id: string,
): Promise<FoundFormula | undefined> {
  const key = id.toLowerCase()
  const shipped = shippedFormula(key)
  if (shipped) return { record: shipped, store: undefined }
  for (const store of [await tenantStore(parts.records, tenant), await officialStore(parts)]) {
    const record = await store.get<FormulaRecord>('formula', key)
    if (record) return { record, store }
  }
  return undefined
}

/** @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function existingFormula(parts: RoomParts, tenant: string, id: string) {
  const found = await findFormula(parts, tenant, id)
  if (found) return found
  throw new ServiceError('not_found', 'there is no formula with this id')
}
