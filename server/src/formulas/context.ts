import { readTenant } from '../access/tenants.ts'
import type { Random } from '../base/random.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'

/** What the verbs of this folder work with. */
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

/** The view in which official formulas are kept: the server's own, which all tenants may read from. */
export function officialStore(context: FormulasContext): Promise<TenantStore> {
  return context.store.root(context.nowUs())
}

/** Whether a tenant is the operator's, and may write official formulas. */
// Requirements: FOR-503
export async function isOperator(store: TenantStore): Promise<boolean> {
  return (await readTenant(store))?.operator ?? false
}
