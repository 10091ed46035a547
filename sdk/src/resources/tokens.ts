import type { Call } from '../call.ts'
import {
  tokensCreate,
  tokensDelete,
  tokensGet,
  tokensList,
  tokensSearch,
  tokensUpdate,
} from '../generated/operations.gen.ts'
import type {
  CreateTokenRequest,
  SearchTokensRequest,
  TokensListData,
  TokenType,
  UpdateTokenRequest,
} from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { type PageCall, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'
import type { DataOf, Json, NewData, NewToken, Token, TokenOf, TokenPatch } from '../typed-data.ts'

/**
 * Filters of a token list, all of which have to match, and the page: `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: TokenQuery = { type: ['card', 'bank'], metadata: { customer: 'c_1001' }, size: 100 }
 * ```
 */
export type TokenQuery = NonNullable<TokensListData['query']>

/**
 * Sensitive values, and the tokens that stand in for them, for applications that need nothing else of the client. Lists
 * send at once and resolve with a page; `items` iterates them. `withLog` adds a log, `isMistake` tells mistakes in the
 * code of a custom `fetch` from a lost connection.
 */
export class Tokens {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Stores `data` under a new token and returns the token, with its data masked at most. With `deduplicate_token` it may
   * return an older token with the same data. Needs `token:create` on every container of the token.
   *
   * Throws `BadRequestError` if the data does not fit the type, `ConflictError` if the `id` is taken.
   *
   * @example
   * ```ts
   * const token = await surrogate.tokens.create({
   *   type: 'card',
   *   data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
   *   metadata: { customer: 'c_1001' },
   * })
   * console.log(token.id, token.data?.number)
   * ```
   */
  create<Type extends TokenType, T extends Json = DataOf<Type>>(
    body: NewToken<Type, T>,
    options?: RequestOptions,
  ): Call<Token<NewData<Type, T>, Type>>
  create(body: object, options?: RequestOptions): Call<never> {
    return this.#send(tokensCreate, { body: body as CreateTokenRequest }, options) as Call<never>
  }

  /**
   * Returns a token. The access rules of the key decide whether its data is whole, masked or absent. Needs `token:read`.
   *
   * Throws `NotFoundError` if there is no such token, or it has expired.
   *
   * @example
   * ```ts
   * const token = await surrogate.tokens.get<Card>('token-id')
   * console.log(token.data?.number)
   * ```
   */
  get<T = never>(id: string, options?: RequestOptions): Call<TokenOf<T>>
  get(id: string, options?: RequestOptions): Call<never> {
    return this.#send(tokensGet, { id }, options) as Call<never>
  }

  /**
   * Changes the given members by JSON merge patch and returns the token. Needs `token:update`, on the old and the new
   * containers if they change. The returned data has the mask that the token had before.
   *
   * `mask`, `fingerprint_expression` and `search_indexes` are accepted only from a private key that holds `token:update`
   * directly or by a rule that reveals: such a key can read all data that it can update. Public keys and sessions cannot.
   *
   * Throws `BadRequestError` if the result does not fit the type, `PermissionError`, which names each member that this
   * key may not change, and `NotFoundError` if there is no such token.
   *
   * @example
   * ```ts
   * await surrogate.tokens.update('token-id', {
   *   data: { expiration_month: 6, expiration_year: 2031 },
   *   metadata: { campaign: null },
   * })
   * ```
   */
  update<T = never>(id: string, patch: TokenPatch, options?: RequestOptions): Call<TokenOf<T>>
  update(id: string, patch: TokenPatch, options?: RequestOptions): Call<never> {
    return this.#send(tokensUpdate, { id, body: patch as UpdateTokenRequest }, options) as Call<never>
  }

  /**
   * Deletes a token: erases its data irrevocably and frees its id. Needs `token:delete`.
   *
   * Throws `NotFoundError` if there is no such token.
   *
   * @example
   * ```ts
   * await surrogate.tokens.delete('token-id')
   * ```
   */
  delete(id: string, options?: RequestOptions): Call<void> {
    return this.#send(tokensDelete, { id }, options)
  }

  /**
   * Lists the tokens that the key may read, newest first. Needs `token:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * const tokens = new Tokens({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org' })
   * const { data, total } = await tokens.list<Card>({ type: ['card'], metadata: { customer: 'c_1001' } })
   * for await (const token of items(tokens.list<Card>({ type: ['card'] }))) console.log(token.data?.number)
   * ```
   */
  list<T = never>(query?: TokenQuery, options?: RequestOptions): PageCall<TokenOf<T>>
  list(query: TokenQuery = {}, options?: RequestOptions): PageCall<never> {
    return pageOf(query, query => this.#send(tokensList, { query }, options) as Call<never>)
  }

  /**
   * Finds the tokens that match a query and that the key may search, newest first. Needs `token:search`.
   *
   * Throws `BadRequestError` if the query is not valid; `errors.query` says where.
   *
   * @example
   * ```ts
   * const { data } = await surrogate.tokens.search({ query: 'type:social_security_number AND data:1120' })
   * ```
   */
  search<T = never>(body: SearchTokensRequest, options?: RequestOptions): PageCall<TokenOf<T>>
  search(body: SearchTokensRequest, options?: RequestOptions): PageCall<never> {
    return pageOf(body, body => this.#send(tokensSearch, { body }, options) as Call<never>)
  }
}
