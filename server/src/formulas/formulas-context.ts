import type { Random } from '../base/random.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'

/** Used by the verbs of this folder. */
export interface FormulasContext {
  readonly store: SealedStore
  readonly random: Random
  nowUs(tenant?: string): number
}

/** Returns the server's own store, which keeps official formulas, readable by all tenants. */
export function officialStore(context: FormulasContext): Promise<TenantStore> {
  return context.store.root(context.nowUs())
}
