import {
  createTenant,
  developmentTenant,
  type NewTenant,
  type TenantParts,
  type TenantSettings,
  writeTenant,
} from './tenant-settings.ts'

/** The tenants of a server. */
export class Tenants {
  readonly parts: TenantParts

  constructor(parts: TenantParts) {
    this.parts = parts
  }

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
