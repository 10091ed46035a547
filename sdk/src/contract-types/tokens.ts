import type * as contract from '../generated/types.gen.ts'

/**
 * A token to be created: its `type` says what `data` has to be.
 *
 * @example
 * ```ts
 * const request: CreateTokenRequest = {
 *   type: 'bank',
 *   data: { routing_number: '110000000', account_number: '000123456789' },
 *   metadata: { customer: 'c_1001' },
 * }
 * await surrogate.tokens.create(request)
 * ```
 */
export type CreateTokenRequest = contract.CreateTokenRequest

/**
 * The members of a token to change, as the contract has them; `TokenPatch` takes data of your own shape.
 *
 * @example
 * ```ts
 * const request: UpdateTokenRequest = { containers: ['/pci/high/'], expires_at: null }
 * await surrogate.tokens.update('token-id', request)
 * ```
 */
export type UpdateTokenRequest = contract.UpdateTokenRequest

/**
 * A search: the query, and the page of what it finds.
 *
 * @example
 * ```ts
 * const request: SearchTokensRequest = { query: 'type:card AND metadata.customer:c_1001', size: 50 }
 * await surrogate.tokens.search(request)
 * ```
 */
export type SearchTokensRequest = contract.SearchTokensRequest

/**
 * The kinds of token: each has its own data, mask and containers.
 *
 * @example
 * ```ts
 * const types: TokenType[] = ['card', 'card_number']
 * await surrogate.tokens.list({ type: types })
 * ```
 */
export type TokenType = contract.TokenType

/**
 * What a token of type `card` is created with; `Card` is another name of it.
 *
 * @example
 * ```ts
 * const data: CardData = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }
 * await surrogate.tokens.create({ type: 'card', data })
 * ```
 */
export type CardData = contract.CardData

/**
 * What a token of type `bank` is created with; `Bank` is another name of it.
 *
 * @example
 * ```ts
 * const data: BankData = { routing_number: '110000000', account_number: '000123456789' }
 * await surrogate.tokens.create({ type: 'bank', data })
 * ```
 */
export type BankData = contract.BankData

/**
 * Facts about a token that are not sensitive, to find it by.
 *
 * @example
 * ```ts
 * const metadata: Metadata = { customer: 'c_1001', plan: 'yearly' }
 * await surrogate.tokens.create({ type: 'token', data: 'a value', metadata })
 * ```
 */
export type Metadata = contract.Metadata

/**
 * A payload whose values are to become tokens.
 *
 * @example
 * ```ts
 * const payload: TokenizeRequest = { card: { type: 'card', data: { number: '4242424242424242' } } }
 * await surrogate.tokenize({ ...payload })
 * ```
 */
export type TokenizeRequest = contract.TokenizeRequest

/**
 * The payload with the tokens in the places of the values.
 *
 * @example
 * ```ts
 * const payload: TokenizedPayload = await surrogate.tokenize({ email: 'jane@example.org' })
 * ```
 */
export type TokenizedPayload = contract.TokenizedPayload

/**
 * A payload with `{{ token-id }}` expressions in it.
 *
 * @example
 * ```ts
 * const payload: DetokenizeRequest = { email: '{{ token-id }}' }
 * await surrogate.detokenize({ ...payload })
 * ```
 */
export type DetokenizeRequest = contract.DetokenizeRequest

/**
 * The payload with the data in the places of the expressions.
 *
 * @example
 * ```ts
 * const payload: DetokenizedPayload = await surrogate.detokenize({ email: '{{ token-id }}' })
 * ```
 */
export type DetokenizedPayload = contract.DetokenizedPayload

/**
 * Where a page stands in its list.
 *
 * @example
 * ```ts
 * const { pagination } = await surrogate.tokens.list()
 * const left = ({ total_pages, page_number }: Pagination) => total_pages - page_number
 * console.log(left(pagination))
 * ```
 */
export type Pagination = contract.Pagination
