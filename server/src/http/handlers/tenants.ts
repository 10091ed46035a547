import { type OwnTenantContext, readOwnTenant, renameOwnTenant } from '../../access/own-tenant.ts'
import { describePermissions } from '../../access/permissions.ts'
import { answer, type HandlersOf } from './handler.ts'

export function tenantHandlers(context: OwnTenantContext): HandlersOf<'tenants'> {
  return {
    'tenants.get': ({ caller }) => answer(200, readOwnTenant(context, caller)),
    'tenants.update': ({ caller, body, receipt }) =>
      answer(200, renameOwnTenant(context, caller, body, receipt)),
    'tenants.permissions': async () => ({ status: 200, body: describePermissions() }),
  }
}
