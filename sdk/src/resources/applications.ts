import type { Call } from '../call.ts'
import {
  applicationsAddKey,
  applicationsCreate,
  applicationsDelete,
  applicationsGet,
  applicationsGetByKey,
  applicationsList,
  applicationsListKeys,
  applicationsRegenerateKey,
  applicationsRevokeKey,
  applicationsUpdate,
} from '../generated/operations.gen.ts'
import type {
  Application,
  ApplicationKey,
  ApplicationKeyWithSecret,
  ApplicationsListData,
  ApplicationWithKey,
  CreateApplicationRequest,
  UpdateApplicationRequest,
} from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'

/**
 * Selects the page of an application list: `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: ApplicationQuery = { page: 2, size: 50 }
 * ```
 */
export type ApplicationQuery = NonNullable<ApplicationsListData['query']>

/** The holders of API keys, one or two each. All calls need a management key, except `getByKey`, which works with any key. */
export class Applications {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Creates an application. Its `key` is in this response and is not shown again. Needs `application:create`; the new
   * application may hold any permission of its type, also those that the calling key does not hold.
   *
   * Throws `BadRequestError` if its type may not hold a given permission.
   *
   * @example
   * ```ts
   * const { id, key } = await surrogate.applications.create({
   *   name: 'Support desk',
   *   type: 'private',
   *   rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
   * })
   * ```
   */
  create(body: CreateApplicationRequest, options?: RequestOptions): Call<ApplicationWithKey> {
    return this.#send(applicationsCreate, { body }, options)
  }

  /**
   * Returns one application, without its key. Needs `application:read`.
   *
   * Throws `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * const { permissions, rules } = await surrogate.applications.get('application-id')
   * ```
   */
  get(id: string, options?: RequestOptions): Call<Application> {
    return this.#send(applicationsGet, { id }, options)
  }

  /**
   * Returns the application whose key makes the call.
   *
   * Throws `PermissionError` for the key of a session.
   *
   * @example
   * ```ts
   * const { name, type } = await surrogate.applications.getByKey()
   * ```
   */
  getByKey(options?: RequestOptions): Call<Application> {
    return this.#send(applicationsGetByKey, {}, options)
  }

  /**
   * Replaces name, permissions, rules and expiry. The type and the key stay the same. Needs `application:update`; the
   * new permissions may go beyond those of the calling key, also for its own application.
   *
   * Throws `BadRequestError` if its type may not hold a given permission, `NotFoundError` if there is no such
   * application.
   *
   * @example
   * ```ts
   * await surrogate.applications.update('application-id', { name: 'Support desk', permissions: ['token:read'] })
   * ```
   */
  update(id: string, body: UpdateApplicationRequest, options?: RequestOptions): Call<Application> {
    return this.#send(applicationsUpdate, { id, body }, options)
  }

  /**
   * Deletes an application: its key stops working and its sessions end. Needs `application:delete`.
   *
   * Throws `ConflictError` if a reactor uses it, `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * await surrogate.applications.delete('application-id')
   * ```
   */
  delete(id: string, options?: RequestOptions): Call<void> {
    return this.#send(applicationsDelete, { id }, options)
  }

  /**
   * Replaces all keys of an application by a new `key`; the old ones stop working at once. Needs `application:update`.
   *
   * Throws `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * const { key } = await surrogate.applications.regenerateKey('application-id')
   * ```
   */
  regenerateKey(id: string, options?: RequestOptions): Call<ApplicationWithKey> {
    return this.#send(applicationsRegenerateKey, { id }, options)
  }

  /**
   * Adds a second key beside the one that an application has. Both work until one is revoked. The `key` is in this
   * response and is not shown again. Needs `application:update`.
   *
   * Throws `ConflictError` if there are two keys, `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * const { key } = await surrogate.applications.addKey('application-id')
   * ```
   */
  addKey(id: string, options?: RequestOptions): Call<ApplicationKeyWithSecret> {
    return this.#send(applicationsAddKey, { id }, options)
  }

  /**
   * Returns the one or two keys of an application, newest first, without the keys themselves. Needs `application:read`.
   *
   * Throws `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * const keys = await surrogate.applications.listKeys('application-id')
   * for (const { id, last_four, created_at } of keys) console.log(id, last_four, created_at)
   * ```
   */
  listKeys(id: string, options?: RequestOptions): Call<ApplicationKey[]> {
    return this.#send(applicationsListKeys, { id }, options)
  }

  /**
   * Revokes one of two keys; it stops working at once. Needs `application:update`.
   *
   * Throws `ConflictError` if it is the only key, `NotFoundError` if there is no such application or key.
   *
   * @example
   * ```ts
   * await surrogate.applications.revokeKey('application-id', 'key-id')
   * ```
   */
  revokeKey(id: string, keyId: string, options?: RequestOptions): Call<void> {
    return this.#send(applicationsRevokeKey, { id, key_id: keyId }, options)
  }

  /**
   * Lists the tenant's applications without their keys, newest first. Needs `application:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const application of surrogate.applications.list()) console.log(application.name)
   * ```
   */
  list(query?: ApplicationQuery, options?: RequestOptions): Pages<Application> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(applicationsList, { query }, options)),
    )
  }
}
