import type { Tenant, UpdateTenantRequest } from '../contract/types.ts'
import type { Receipt, RecordedEntity } from '../storage/port/transact.ts'
import type { Caller } from './caller.ts'
import { readOwnTenant, renameOwnTenant } from './own-tenant.ts'
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
  readonly #parts: TenantParts

  constructor(parts: TenantParts) {
    this.#parts = parts
  }

  create(options?: { readonly operator?: boolean | undefined }): Promise<NewTenant> {
    return createTenant(this.#parts, options)
  }

  write(tenant: string, given: Partial<Omit<TenantSettings, 'id'>>): Promise<TenantSettings> {
    return writeTenant(this.#parts, tenant, given)
  }

  development(restored?: NewTenant): Promise<NewTenant> {
    return developmentTenant(this.#parts, restored)
  }

  read(caller: Caller): Promise<Tenant> {
    return readOwnTenant(this.#parts, caller)
  }

  rename(caller: Caller, input: UpdateTenantRequest, receipt?: Receipt<RecordedEntity>): Promise<Tenant> {
    return renameOwnTenant(this.#parts, caller, input, receipt)
  }
}
