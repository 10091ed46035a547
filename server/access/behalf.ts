import type { SealedStore } from '../storage/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import type { Caller } from './caller.ts'

/** In whose name code that holds no key asks for something: a reactor's application. */
export interface Behalf {
  readonly tenant: string
  readonly application: string
  /** How many formulas wait for the answer. */
  readonly depth: number
  readonly traceId: string
  /** Stands where a key would in what is derived from keys. Nobody can send it. */
  readonly secret: string
}

/** The application as a caller, with the rights it has now; `undefined` where it is gone or over. */
export async function applicationCaller(
  store: SealedStore,
  tenant: string,
  application: string,
  nowUs: number,
): Promise<Caller | undefined> {
  const view = await store.tenant(tenant)
  const record = await view?.get<ApplicationRecord>('application', application)
  if (!record) return undefined
  const { id, type, permissions, rules, expires_ms } = record.value
  if (expires_ms !== undefined && expires_ms * 1000 <= nowUs) return undefined
  return { tenant, application: id, type, rights: { permissions, rules } }
}
