import { type ApplicationRecord, showApplication } from '../access/application.ts'
import { ServiceError } from '../base/errors.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { Application, Reactor, ReactorConfiguration, ReactorFormula } from '../contract/types.ts'
import type { FoundFormula } from '../formulas/find.ts'
import { showFormula } from '../formulas/formula.ts'
import type { Dated, OpenedRecord, RecordValue, TenantRecords } from '../storage/records/records.ts'
import type { ReactorParts } from './reactor-parts.ts'

/** A stored reactor. */
export interface ReactorRecord extends RecordValue {
  readonly name: string
  /** Ids. */
  readonly formula: string
  readonly application?: string
  readonly configuration: ReactorConfiguration
  readonly created_by: string
  readonly modified_by?: string
}

/** @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function existingReactor(
  store: TenantRecords,
  id: string,
): Promise<OpenedRecord<ReactorRecord>> {
  const record = await store.get<ReactorRecord>('reactor', id.toLowerCase())
  if (record) return record
  throw noReactor()
}

/**
 * Returns the formula of a reactor that was read before. A formula cannot be deleted while a reactor uses it: if it is gone,
 * both were deleted meanwhile.
 *
 * @throws {ServiceError} not_found
 */
// Requirements: ERR-512
export async function formulaOfReactor(
  parts: ReactorParts,
  tenant: string,
  { formula }: ReactorRecord,
): Promise<FoundFormula> {
  const found = await parts.formulas.find(tenant, formula)
  if (found) return found
  throw noReactor()
}

const noReactor = () => new ServiceError('not_found', 'there is no reactor with this id')

/**
 * Returns a function that shows reactors, and reads what several of them share once.
 *
 * @param known the formula of a reactor that was just committed, as both may be deleted before it is shown
 * @throws {ServiceError} not_found, if the reactor was deleted meanwhile
 */
// Requirements: REA-001, REA-502
export function reactorShower(parts: ReactorParts, store: TenantRecords, known?: FoundFormula) {
  const formulas = new Map<string, Promise<ReactorFormula>>()
  if (known) formulas.set(known.record.value.id, Promise.resolve(showFormula(known.record)))
  const applications = new Map<string, Promise<Application | undefined>>()
  const applicationOf = async (id: string) => {
    const record = await store.get<ApplicationRecord>('application', id)
    return record && showApplication(store.tenant, record)
  }
  return async (record: Dated<ReactorRecord>): Promise<Reactor> => {
    const { id, name, formula, application, configuration, created_by, modified_by } = record.value
    const shownFormula = await once(formulas, formula, async () =>
      showFormula((await formulaOfReactor(parts, store.tenant, record.value)).record),
    )
    const shownApplication =
      application === undefined ? undefined : await once(applications, application, applicationOf)
    return {
      id,
      tenant_id: store.tenant,
      name,
      formula: shownFormula,
      configuration,
      ...(shownApplication ? { application: shownApplication } : {}),
      created_by,
      created_at: formatMicros(record.createdUs),
      ...(modified_by === undefined ? {} : { modified_by }),
      ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
    }
  }
}

function once<T>(known: Map<string, Promise<T>>, id: string, read: (id: string) => Promise<T>): Promise<T> {
  const reading = known.get(id) ?? read(id)
  known.set(id, reading)
  return reading
}
