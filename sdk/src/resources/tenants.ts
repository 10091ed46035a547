import type { Call } from '../call.ts'
import { tenantsGet, tenantsPermissions, tenantsUpdate } from '../generated/operations.gen.ts'
import type { PermissionList, Tenant, UpdateTenantRequest } from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { type Send, sendBy } from '../transport.ts'

/** The tenant of a key, and the permissions that its applications may hold. */
export class Tenants {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Returns the tenant of the key. Works with any private or management key.
   *
   * Throws `PermissionError` for a public key and for the key of a session.
   *
   * @example
   * ```ts
   * const { id, name } = await surrogate.tenants.get()
   * ```
   */
  get(options?: RequestOptions): Call<Tenant> {
    return this.#send(tenantsGet, {}, options)
  }

  /**
   * Renames the tenant. Needs `application:update`.
   *
   * Throws `BadRequestError` if the name is empty or longer than 200 characters.
   *
   * @example
   * ```ts
   * await surrogate.tenants.update({ name: 'Example shop' })
   * ```
   */
  update(body: UpdateTenantRequest, options?: RequestOptions): Call<Tenant> {
    return this.#send(tenantsUpdate, { body }, options)
  }

  /**
   * Returns all permissions, with the types of application that may hold them. Works with the key of any application.
   *
   * @example
   * ```ts
   * const permissions = await surrogate.tenants.permissions()
   * const forBackends = permissions.filter(one => one.application_types.includes('private'))
   * ```
   */
  permissions(options?: RequestOptions): Call<PermissionList> {
    return this.#send(tenantsPermissions, {}, options)
  }
}
