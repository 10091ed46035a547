import type { Call } from '../call.ts'
import type { SearchTokensRequest } from '../generated/types.gen.ts'
import type { RequestOptions } from '../options.ts'
import { Pages } from '../pages.ts'
import type { RevealedTokenOf, TokenOf } from '../typed-data.ts'
import { type TokenQuery, Tokens } from './tokens.ts'

/**
 * The tokens of a client: their lists can be iterated, and send nothing before they are awaited or iterated.
 *
 * @example
 * ```ts
 * const tokens: IterableTokens = surrogate.tokens
 * for await (const { id } of tokens.list({ type: ['card'] })) console.log(id)
 * ```
 */
export class IterableTokens extends Tokens {
  /**
   * Lists the tokens that the key may read, newest first. Needs `token:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const token of surrogate.tokens.list<Card>({ type: ['card'], metadata: { customer: 'c_1001' } })) {
   *   console.log(token.id, token.data?.number)
   * }
   * ```
   */
  override list<T = never>(query?: TokenQuery, options?: RequestOptions): Pages<TokenOf<T>>
  override list(query?: TokenQuery, options?: RequestOptions): Pages<never> {
    return new Pages(
      position => super.list({ ...query, ...position } as TokenQuery, options) as Call<never>,
      query?.start,
    )
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
  override search<T = never>(body: SearchTokensRequest, options?: RequestOptions): Pages<TokenOf<T>>
  override search(body: SearchTokensRequest, options?: RequestOptions): Pages<never> {
    return new Pages(
      position => super.search({ ...body, ...position } as SearchTokensRequest, options) as Call<never>,
      body.start,
    )
  }
}

/**
 * Tokens as a key sees them whose rules reveal their data, from `surrogate.revealing()`. The responses to `create` and
 * `update` remain masked at most.
 *
 * @example
 * ```ts
 * const tokens: RevealingTokens = surrogate.revealing().tokens
 * const { data } = await tokens.get<Card>('token-id')
 * ```
 */
export interface RevealingTokens extends Omit<IterableTokens, 'get' | 'list' | 'search'> {
  /** Returns a token, with its data whole. */
  get<T = never>(id: string, options?: RequestOptions): Call<RevealedTokenOf<T>>
  /** Lists tokens, with their data whole. */
  list<T = never>(query?: TokenQuery, options?: RequestOptions): Pages<RevealedTokenOf<T>>
  /** Finds tokens, with their data whole. */
  search<T = never>(body: SearchTokensRequest, options?: RequestOptions): Pages<RevealedTokenOf<T>>
}
