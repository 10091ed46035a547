import type { RoomParts } from '../access/room.ts'
import { readTenant } from '../access/tenant-settings.ts'
import { removeUsageCount } from '../access/usage-counts.ts'
import { entriesOf } from '../audit/entries.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { ReactorFormula, ReactorFormulaRequest } from '../contract/types.ts'
import {
  type Attempt,
  giveUpOn,
  type Receipt,
  type RecordedEntity,
  transact,
} from '../storage/port/transact.ts'
import type { TenantRecords } from '../storage/records/records.ts'
import { existingFormula, type FoundFormula, officialStore, type TenantFormulas } from './find.ts'
import { type FormulaRecord, readFormula, showFormula } from './formula.ts'

// An official formula belongs to no tenant: its entries are in the log of the tenant that wrote it.
const formulaEntry = entriesOf('reactor_formula')

/** @throws {ServiceError} validation, permission_denied, idempotency_conflict */
export async function createFormula(
  formulas: TenantFormulas,
  input: ReactorFormulaRequest,
  receipt?: Receipt<RecordedEntity>,
  id?: string,
): Promise<ReactorFormula> {
  const content = readFormula(input)
  const { parts, caller, store: own } = formulas
  if (content.type === 'official') await demandOperator(own)
  const store = content.type === 'official' ? await officialStore(parts) : own
  const attempt = async (number: number) => {
    giveUpOn(id, number)
    const value = { id: id ?? parts.random.uuid(), ...content, created_by: caller.application }
    return storing(parts, own, store, value)
  }
  return transact(parts.records, parts.clock, attempt, receipt)
}

/**
 * Replaces a formula as a whole, but for its type: official and private formulas are kept in different places, and
 * who may see a formula must not change under those who use it.
 *
 * @throws {ServiceError} validation, not_found, permission_denied, idempotency_conflict
 */
// Requirements: FOR-013, FOR-014
export async function updateFormula(
  formulas: TenantFormulas,
  id: string,
  input: ReactorFormulaRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<ReactorFormula> {
  const content = readFormula(input)
  const { parts, caller, store: own } = formulas
  const attempt = async () => {
    const found = await existingFormula(parts, caller.tenant, id)
    const { type, created_by } = found.record.value
    const store = await writableStore(own, found, content.type)
    if (content.type !== type) throw invalid('type', `must stay ${type}: a formula keeps its type`)
    const value: FormulaRecord = {
      id: found.record.value.id,
      ...content,
      ...(created_by === undefined ? {} : { created_by }),
      modified_by: caller.application,
    }
    return storing(parts, own, store, value, found.record.version)
  }
  return transact(parts.records, parts.clock, attempt, receipt)
}

/** Removes a formula that no reactor of any tenant uses. @throws {ServiceError} not_found, permission_denied, in_use */
// Requirements: FOR-015, FOR-016
export async function deleteFormula(formulas: TenantFormulas, id: string): Promise<void> {
  const { parts, caller, store: own } = formulas
  await transact(parts.records, parts.clock, async () => {
    const found = await existingFormula(parts, caller.tenant, id)
    const store = await writableStore(own, found)
    const { value, version } = found.record
    return {
      writes: [
        store.remove('formula', value.id, version),
        // Fails where a reactor that uses the formula is made at this moment.
        ...(await removeUsageCount(store, 'formula', value.id)),
        formulaEntry(parts, own, 'reactor:delete', value.id, caller.application),
      ],
      result: () => {},
    }
  })
}

/** Returns the writes that create a formula, or replace the given version of it. */
function storing(
  parts: RoomParts,
  own: TenantRecords,
  store: TenantRecords,
  value: FormulaRecord,
  version?: number,
): Attempt<ReactorFormula, RecordedEntity> {
  const isNew = version === undefined
  const write = isNew ? store.insert('formula', value) : store.replace('formula', version, value)
  const operation = isNew ? 'reactor:create' : 'reactor:update'
  const actor = value.modified_by ?? value.created_by ?? null
  return {
    writes: [write, formulaEntry(parts, own, operation, value.id, actor)],
    recorded: { entity: value.id },
    result: written => showFormula({ value, ...written(write) }),
  }
}

/**
 * Returns the store of a formula, for a tenant that may change it.
 * @param requested the type that a request gives it
 * @throws {ServiceError} permission_denied
 */
async function writableStore(
  own: TenantRecords,
  { record, store }: FoundFormula,
  requested = record.value.type,
): Promise<TenantRecords> {
  if (record.value.type === 'official' || requested === 'official') await demandOperator(own)
  if (store) return store
  throw new ServiceError(
    'permission_denied',
    'this formula comes with the server and cannot be changed; create another one with its code instead',
  )
}

// Requirements: FOR-503
async function demandOperator(own: TenantRecords): Promise<void> {
  if ((await readTenant(own))?.operator) return
  throw new ServiceError('permission_denied', "only the operator's tenant can write official formulas")
}
