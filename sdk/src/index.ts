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
  AccessRule,
  Application,
  ApplicationKey,
  ApplicationKeyList,
  ApplicationKeyWithSecret,
  ApplicationPermission,
  ApplicationType,
  ApplicationWithKey,
  AuthorizeSessionRequest,
  BankData,
  CardData,
  ConfigurationDefinition,
  ContainerPath,
  CreateApplicationRequest,
  CreateReactorRequest,
  CreateSessionResponse,
  CreateTokenRequest,
  CustomResponse,
  DetokenizedPayload,
  DetokenizeRequest,
  LogEntityType,
  LogEntry,
  Metadata,
  Pagination,
  PatchReactorRequest,
  PermissionDescription,
  PermissionList,
  Problem,
  Reactor,
  ReactorConfiguration,
  ReactorFormula,
  ReactorFormulaRequest,
  ReactorFormulaType,
  ReactorResponse,
  ReactRequest,
  RequestParameterDefinition,
  ResourceReference,
  SearchTokensRequest,
  Tenant,
  TokenizedPayload,
  TokenizeRequest,
  TokenPermission,
  TokenType,
  Transform,
  UpdateApplicationRequest,
  UpdateReactorRequest,
  UpdateTenantRequest,
  UpdateTokenRequest,
  ValueType,
} from './generated/types.gen.ts'
export type { RequestHeaders } from './headers.ts'
export * from './observe.ts'
export type { RequestOptions, ResourceOptions, SurrogateOptions } from './options.ts'
export { items, type Page, type PageCall, Pages } from './pages.ts'
export { type RevealingSurrogate, Surrogate } from './surrogate.ts'
export type * from './typed-data.ts'
export type * from './typed-formulas.ts'
export * from './webhooks.ts'
