/**
 * A client for Surrogate, the tokenization service: `new Surrogate({ apiKey, baseUrl })`.
 *
 * @module
 */

export type { Call, Envelope } from './call.ts'
export { APIError, ConnectionError, type ErrorAnswer, SurrogateError, TimeoutError } from './errors.ts'
export * from './fetch.ts'
export * from './generated/public.gen.ts'
export type {
  AccessCondition,
  BankData,
  CardData,
  CustomResponse,
  Metadata,
  Pagination,
  TokenType,
} from './generated/types.gen.ts'
export type { RequestHeaders } from './headers.ts'
export * from './observe.ts'
export type { RequestOptions, ResourceOptions, SurrogateOptions } from './options.ts'
export { items, type Page, type PageCall, Pages } from './pages.ts'
export * from './query.ts'
export { type RevealingSurrogate, Surrogate } from './surrogate.ts'
export type * from './typed-data.ts'
export type * from './typed-formulas.ts'
export * from './webhooks.ts'
