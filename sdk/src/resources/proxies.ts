import type { Call } from '../call.ts'
import {
  proxiesCreate,
  proxiesDelete,
  proxiesGet,
  proxiesList,
  proxiesPatch,
  proxiesUpdate,
} from '../generated/operations.gen.ts'
import type {
  PatchProxyRequest,
  ProxiesListData,
  ProxyRequest,
  StoredProxy,
  StoredProxyWithKey,
} from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'

/**
 * Filters of a proxy list and the page: `id`, `name` (`*` stands for any number of characters), `page` from 1, `size`
 * from 1 to 100.
 *
 * @example
 * ```ts
 * const query: ProxyQuery = { name: 'charge*', size: 50 }
 * ```
 */
export type ProxyQuery = NonNullable<ProxiesListData['query']>

/** Stored targets of `/proxy`. All calls need a management key. */
export class Proxies {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Stores a target with code for requests and responses. Its `key` is in this response and is not shown again; requests
   * to `/proxy` name the proxy by it. Needs `proxy:create`.
   *
   * Throws `BadRequestError` if the operator has not allowed the destination, or the application does not exist.
   *
   * @example
   * ```ts
   * const { key } = await surrogate.proxies.create({
   *   name: 'Charges',
   *   destination_url: 'https://api.example.com/v1',
   *   configuration: { API_KEY: 'sk_test_1' },
   * })
   * ```
   */
  create(body: ProxyRequest, options?: RequestOptions): Call<StoredProxyWithKey> {
    return this.#send(proxiesCreate, { body }, options)
  }

  /**
   * Returns one proxy, without its key. Needs `proxy:read`.
   *
   * Throws `NotFoundError` if there is no such proxy.
   *
   * @example
   * ```ts
   * const { destination_url } = await surrogate.proxies.get('proxy-id')
   * ```
   */
  get(id: string, options?: RequestOptions): Call<StoredProxy> {
    return this.#send(proxiesGet, { id }, options)
  }

  /**
   * Replaces all members of a proxy but its key; those that are left out are removed. Needs `proxy:update`.
   *
   * Throws `BadRequestError` if the proxy is not valid, `NotFoundError` if there is no such proxy.
   *
   * @example
   * ```ts
   * await surrogate.proxies.update('proxy-id', { name: 'Charges', destination_url: 'https://api.example.com/v2' })
   * ```
   */
  update(id: string, body: ProxyRequest, options?: RequestOptions): Call<StoredProxy> {
    return this.#send(proxiesUpdate, { id, body }, options)
  }

  /**
   * Changes the given members by JSON merge patch: `null` removes one. Returns nothing. Needs `proxy:update`.
   *
   * Throws `BadRequestError` if the result is not valid, `NotFoundError` if there is no such proxy.
   *
   * @example
   * ```ts
   * await surrogate.proxies.patch('proxy-id', { configuration: { API_KEY: 'sk_test_2' }, response_transform: null })
   * ```
   */
  patch(id: string, body: PatchProxyRequest, options?: RequestOptions): Call<void> {
    return this.#send(proxiesPatch, { id, body }, options)
  }

  /**
   * Deletes a proxy; its key stops working at once. Needs `proxy:delete`.
   *
   * Throws `NotFoundError` if there is no such proxy.
   *
   * @example
   * ```ts
   * await surrogate.proxies.delete('proxy-id')
   * ```
   */
  delete(id: string, options?: RequestOptions): Call<void> {
    return this.#send(proxiesDelete, { id }, options)
  }

  /**
   * Lists the tenant's proxies without their keys, newest first. Needs `proxy:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const proxy of surrogate.proxies.list()) console.log(proxy.name)
   * ```
   */
  list(query?: ProxyQuery, options?: RequestOptions): Pages<StoredProxy> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(proxiesList, { query }, options)),
    )
  }
}
