import type { SealedStore } from '../storage/records/sealed.ts'
import type { ApplicationRecord } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import { callerOfSession, type SessionRecord } from './session.ts'

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

/**
 * The application as a caller, with the rights it has now; `undefined` where it is gone or over. No code acts as a
 * management application, whatever a bootstrap file has made of one since.
 */
// Requirements: INV-501
export async function applicationCaller(
  store: SealedStore,
  tenant: string,
  application: string,
  nowUs: number,
): Promise<Caller | undefined> {
  const view = await store.tenant(tenant)
  const record = await view?.get<ApplicationRecord>('application', application)
  if (!record || record.value.type === 'management') return undefined
  return applicationAsCaller(tenant, record.value, nowUs)
}

/** A session as a caller, with what it may do now; `undefined` where it, or what it stands on, is gone or over. */
export async function sessionAgain(
  store: SealedStore,
  tenant: string,
  session: string,
  nowUs: number,
): Promise<Caller | undefined> {
  const view = await store.tenant(tenant)
  const record = await view?.get<SessionRecord>('session', session)
  return view && record && callerOfSession(view, record.value, nowUs)
}
