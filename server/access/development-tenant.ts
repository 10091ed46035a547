import type { RecordValue } from '../storage/sealed.ts'
import { createTenant, type NewTenant, type TenantsContext } from './tenants.ts'

interface DevelopmentRecord extends RecordValue, NewTenant {
  readonly id: 'development'
}

/**
 * The tenant of a development server. Its keys are made once and kept, sealed, so that they can be printed
 * at each start; a production server never makes one.
 *
 * @param again keys to bring back after the store was emptied
 */
export async function developmentTenant(context: TenantsContext, again?: NewTenant): Promise<NewTenant> {
  const root = await context.store.root(context.nowUs())
  const kept = await root.get<DevelopmentRecord>('setting', 'development')
  if (kept) {
    const { id: _id, ...tenant } = kept.value
    return tenant
  }
  const made = await createTenant(context, { again })
  const record: DevelopmentRecord = { id: 'development', ...made }
  await root.commit([root.insert('setting', record)], context.nowUs())
  return made
}
