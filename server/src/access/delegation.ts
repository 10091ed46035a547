import type { Records } from '../storage/records/records.ts'
import type { ApplicationRecord } from './application.ts'
import { applicationAsCaller, type Caller } from './caller.ts'
import { sessionCaller } from './session.ts'

/** The identity of requests made by formula code, which has no API key: the reactor's application. */
export interface Delegation {
  readonly tenant: string
  readonly application: string
  /** The number of formulas that wait for the answer. */
  readonly depth: number
  readonly traceId: string
  /** Replaces the API key where keys are derived from it. Nobody can send it. */
  readonly secret: string
}

/**
 * Returns the application as a caller with its present rights; `undefined` if it is gone or expired. Formulas never act
 * as a management application, even if a bootstrap file has made the application one since.
 */
// Requirements: INV-501
export async function delegatedCaller(
  store: Records,
  { tenant, application }: Pick<Delegation, 'tenant' | 'application'>,
  nowUs: number,
): Promise<Caller | undefined> {
  const view = await store.tenant(tenant)
  const record = await view?.get<ApplicationRecord>('application', application)
  if (!record || record.value.type === 'management') return undefined
  return applicationAsCaller(tenant, record.value, nowUs)
}

/**
 * Returns the caller that started an asynchronous job, with its present rights; `undefined` if the application or
 * session is gone or expired.
 */
export async function jobCaller(
  store: Records,
  job: Pick<Caller, 'tenant' | 'application' | 'session'>,
  nowUs: number,
): Promise<Caller | undefined> {
  if (job.session === undefined) return delegatedCaller(store, job, nowUs)
  const view = await store.tenant(job.tenant)
  return view && sessionCaller(view, job.session, nowUs)
}
