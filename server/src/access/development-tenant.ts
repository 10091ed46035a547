import type { RecordValue, TenantStore } from '../storage/records/sealed.ts'
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
  const kept = await readKept(root)
  if (kept) return kept
  const made = await createTenant(context, { again })
  const record: DevelopmentRecord = { id: 'development', ...made }
  const { ok } = await root.commit([root.insert('setting', record)], context.nowUs())
  // Another server on the same database may have been quicker: then its tenant is the one that is kept.
  return ok ? made : ((await readKept(root)) ?? made)
}

async function readKept(root: TenantStore): Promise<NewTenant | undefined> {
  const kept = await root.get<DevelopmentRecord>('setting', 'development')
  if (!kept) return undefined
  const { id: _id, ...tenant } = kept.value
  return tenant
}
