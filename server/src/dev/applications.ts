import type { Applications } from '../access/applications.ts'
import { initialRights } from '../access/tenants.ts'
import type { CreateApplicationRequest } from '../contract/types.ts'
import type { DevHandlersOf } from './handlers.ts'

/** Creates applications with limited rights in one call. */
export function devApplications(applications: Applications): DevHandlersOf<'applications'> {
  return {
    'dev.applications.create': async ({ tenant, body }) => {
      const { type = 'private', name = 'Test', permissions = [], rules = [], ...rest } = body ?? {}
      const given = permissions.length + rules.length > 0 ? { permissions, rules } : initialRights(type)
      const input = { name, type, ...rest, ...given } as CreateApplicationRequest
      const { id, key } = await applications.create({ tenant, application: null }, input)
      return { status: 201, body: { application_id: id, key } }
    },
  }
}
