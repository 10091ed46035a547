import type { ApplicationRecord } from '../access/application.ts'
import type { Applications } from '../access/applications.ts'
import { initialRights, tenantStore } from '../access/tenants.ts'
import type { CreateApplicationRequest } from '../contract/types.ts'
import type { SealedStore } from '../storage/records/sealed.ts'
import type { DevHandlersOf } from './handlers.ts'

/** As the contract says. */
const mostApplications = 1000

interface Context {
  readonly store: SealedStore
  readonly applications: Applications
  nowUs(tenant?: string): number
  /** Returns a key by its digest, if it is known. */
  keyOf(digest: string): string | undefined
}

/** Lists applications with their keys, and creates some with limited rights in one call. */
export function devApplications(context: Context): DevHandlersOf<'applications'> {
  return {
    'dev.applications.list': async ({ tenant }) => {
      const store = await tenantStore(context, tenant)
      const page = { nowMs: context.nowUs(tenant) / 1000, offset: 0, limit: mostApplications }
      const { records } = await store.findReadable<ApplicationRecord>('application', { op: 'all' }, page)
      const data = records.map(({ value: { id, name, type, key_digest } }) => {
        const key = context.keyOf(key_digest)
        return { id, name, type, ...(key === undefined ? {} : { key }) }
      })
      return { status: 200, body: { data } }
    },
    'dev.applications.create': async ({ tenant, body }) => {
      const { type = 'private', name = 'Test', permissions = [], rules = [], ...rest } = body ?? {}
      const given = permissions.length + rules.length > 0 ? { permissions, rules } : initialRights(type)
      const input = { name, type, ...rest, ...given } as CreateApplicationRequest
      const { id, key } = await context.applications.create({ tenant, application: null }, input)
      return { status: 201, body: { application_id: id, key } }
    },
  }
}
