import type {
  Application,
  ApplicationsListData,
  ApplicationWithKey,
  CreateApplicationRequest,
  UpdateApplicationRequest,
} from '../generated/types.gen.ts'
import type { RequestOptions } from '../options.ts'
import { Pages } from '../pages.ts'
import type { Send } from '../transport.ts'

/**
 * The page of an application list: `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: ApplicationQuery = { page: 2, size: 50 }
 * ```
 */
export type ApplicationQuery = NonNullable<ApplicationsListData['query']>

/** The holders of API keys. All calls need a management key, but for `getByKey`, which takes any. */
export class Applications {
  readonly #send: Send

  /** @internal */
  constructor(send: Send) {
    this.#send = send
  }

  /**
   * Makes an application. Its `key` is in this answer and is not shown again. Needs `application:create`;
   * the new key may hold any right of its kind, whatever this one holds.
   *
   * Throws `BadRequestError` if its type may not hold what it is given.
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
  create(body: CreateApplicationRequest, options?: RequestOptions): Promise<ApplicationWithKey> {
    return this.#send('applications.create', { body }, options)
  }

  /**
   * Answers one application, without its key. Needs `application:read`.
   *
   * Throws `NotFoundError` if there is none with this id.
   *
   * @example
   * ```ts
   * const { permissions, rules } = await surrogate.applications.get('application-id')
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Application> {
    return this.#send('applications.get', { path: { id } }, options)
  }

  /**
   * Answers the application whose key makes the call.
   *
   * Throws `PermissionError` if it is the key of a session.
   *
   * @example
   * ```ts
   * const { name, type } = await surrogate.applications.getByKey()
   * ```
   */
  getByKey(options?: RequestOptions): Promise<Application> {
    return this.#send('applications.getByKey', {}, options)
  }

  /**
   * Replaces name, permissions, rules and expiry. The type and the key stay. Needs `application:update`;
   * the new rights may go beyond those of the calling key, also for its own application.
   *
   * Throws `BadRequestError` if the type may not hold what it is given, `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * await surrogate.applications.update('application-id', { name: 'Support desk', permissions: ['token:read'] })
   * ```
   */
  update(id: string, body: UpdateApplicationRequest, options?: RequestOptions): Promise<Application> {
    return this.#send('applications.update', { path: { id }, body }, options)
  }

  /**
   * Removes an application: its key stops working and its sessions end. Needs `application:delete`.
   *
   * Throws `ConflictError` if a reactor uses it, `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * await surrogate.applications.delete('application-id')
   * ```
   */
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#send('applications.delete', { path: { id } }, options)
  }

  /**
   * Gives an application a new `key`; the old one stops working at once. Needs `application:update`.
   *
   * Throws `NotFoundError` if there is no such application.
   *
   * @example
   * ```ts
   * const { key } = await surrogate.applications.regenerateKey('application-id')
   * ```
   */
  regenerateKey(id: string, options?: RequestOptions): Promise<ApplicationWithKey> {
    return this.#send('applications.regenerateKey', { path: { id } }, options)
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
    return new Pages(page =>
      this.#send('applications.list', { query: { ...query, ...(page && { page }) } }, options),
    )
  }
}
