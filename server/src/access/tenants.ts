import { Room } from './room.ts'
import {
  createTenant,
  developmentTenant,
  type NewTenant,
  type TenantParts,
  type TenantSettings,
  writeTenant,
} from './tenant-settings.ts'

/** The tenants of a server. */
export class Tenants extends Room<TenantParts> {
  create(options?: { readonly operator?: boolean | undefined }): Promise<NewTenant> {
    return createTenant(this.parts, options)
  }

  write(tenant: string, given: Partial<Omit<TenantSettings, 'id'>>): Promise<TenantSettings> {
    return writeTenant(this.parts, tenant, given)
  }

  development(restored?: NewTenant): Promise<NewTenant> {
    return developmentTenant(this.parts, restored)
  }
}
