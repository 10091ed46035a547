import type { Records } from '../storage/records/records.ts'
import type { Applications } from './applications.ts'
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
  /** Returns the same room on other records. */
  on(records: Records, applications: Applications): Tenants {
    return new Tenants({ ...this.parts, records, applications })
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
