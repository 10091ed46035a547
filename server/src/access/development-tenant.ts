import type { RecordValue, TenantStore } from '../storage/records/sealed.ts'
import { createTenant, type NewTenant, type TenantsContext } from './tenants.ts'

interface DevelopmentRecord extends RecordValue, NewTenant {
  readonly id: 'development'
}

/**
 * Returns the tenant of a development server, and makes it if there is none. Its keys are stored sealed, so that they can
 * be printed at each start. A production server never makes one.
 *
 * @param restored the tenant to make again with the same keys, after the store was emptied
 */
export async function developmentTenant(context: TenantsContext, restored?: NewTenant): Promise<NewTenant> {
  const root = await context.store.root(context.nowUs())
  const kept = await readKept(root)
  if (kept) return kept
  const made = await createTenant(context, { restored })
  const record: DevelopmentRecord = { id: 'development', ...made }
  const { ok } = await root.commit([root.insert('setting', record)], context.nowUs())
  // Another server on the same database may have stored its tenant first: then that one counts.
  return ok ? made : ((await readKept(root)) ?? made)
}

async function readKept(root: TenantStore): Promise<NewTenant | undefined> {
  const kept = await root.get<DevelopmentRecord>('setting', 'development')
  if (!kept) return undefined
  const { id: _id, ...tenant } = kept.value
  return tenant
}
