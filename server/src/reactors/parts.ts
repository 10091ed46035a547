import type { ApplicationRecord } from '../access/application.ts'
import { invalid } from '../base/errors.ts'
import { type FoundFormula, findFormula } from '../formulas/find.ts'
import type { TenantStore } from '../storage/records/sealed.ts'
import type { ReactorsContext } from './context.ts'

/** Finds the formula that a request names. @throws {ServiceError} validation */
// Requirements: REA-003
export async function formulaPart(
  context: ReactorsContext,
  store: TenantStore,
  id: string,
): Promise<FoundFormula> {
  const found = await findFormula(context, store.tenant, id)
  if (!found) throw invalid('formula.id', 'must be the id of an existing formula')
  return found
}

/** Finds the application that a request names, with the condition that it is unchanged at the commit. @throws {ServiceError} validation */
// Requirements: REA-006
export async function applicationPart(store: TenantStore, id: string | undefined) {
  if (id === undefined) return { id: undefined, unchanged: [] }
  const record = await store.get<ApplicationRecord>('application', id.toLowerCase())
  if (!record) throw invalid('application.id', 'must be the id of an existing application')
  if (record.value.type === 'management')
    throw invalid('application.id', 'must be the id of a public or private application')
  return { id: record.value.id, unchanged: [store.expect('application', record.value.id, record.version)] }
}
