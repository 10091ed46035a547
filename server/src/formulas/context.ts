import { readTenant } from '../access/tenants.ts'
import type { Random } from '../base/random.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'

/** Used by the verbs of this folder. */
export interface FormulasContext {
  readonly store: SealedStore
  readonly random: Random
  nowUs(): number
}

export async function tenantStore(context: FormulasContext, tenant: string): Promise<TenantStore> {
  const store = await context.store.tenant(tenant)
  if (!store) throw new Error('a caller without a tenant')
  return store
}

/** Returns the server's own store, which keeps official formulas, readable by all tenants. */
export function officialStore(context: FormulasContext): Promise<TenantStore> {
  return context.store.root(context.nowUs())
}

/** True if a tenant is the operator's, and so may write official formulas. */
// Requirements: FOR-503
export async function isOperator(store: TenantStore): Promise<boolean> {
  return (await readTenant(store))?.operator ?? false
}
