/**
 * A client for Surrogate, the tokenization service: `new Surrogate({ apiKey, baseUrl })`.
 *
 * @module
 */

export type { Call, Envelope } from './call.ts'
export { APIError, ConnectionError, type ErrorAnswer, SurrogateError, TimeoutError } from './errors.ts'
export { type Fetch, type FetchInit, type FetchResponse, isMistake } from './fetch.ts'
export { type ApplicationQuery, Applications } from './generated/resources/applications.gen.ts'
export { IterableTokens, type RevealingTokens } from './generated/resources/iterable-tokens.gen.ts'
export { type JobQuery, Jobs } from './generated/resources/jobs.gen.ts'
export { type LogQuery, Logs } from './generated/resources/logs.gen.ts'
export { type ReactorFormulaQuery, ReactorFormulas } from './generated/resources/reactor-formulas.gen.ts'
export { type ReactorQuery, Reactors } from './generated/resources/reactors.gen.ts'
export { Sessions } from './generated/resources/sessions.gen.ts'
export { Tenants } from './generated/resources/tenants.gen.ts'
export { type TokenQuery, Tokens } from './generated/resources/tokens.gen.ts'
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  NotImplementedError,
  PayloadTooLargeError,
  PaymentMethodError,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  UnprocessableError,
  UnsupportedMediaTypeError,
} from './generated/status-errors.gen.ts'
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
export {
  type Logger,
  type LogLevel,
  type LostEvent,
  type ObserveOptions,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
  withLog,
} from './observe.ts'
export type { RequestOptions, ResourceOptions, SurrogateOptions } from './options.ts'
export { items, type Page, type PageCall, Pages } from './pages.ts'
export { type RevealingSurrogate, Surrogate } from './surrogate.ts'
export type {
  AnyRevealedToken,
  AnyToken,
  Bank,
  Card,
  DataOf,
  Json,
  Masked,
  NewData,
  NewToken,
  RevealedToken,
  RevealedTokenOf,
  Token,
  TokenOf,
  TokenPatch,
} from './typed-data.ts'
export type {
  AcceptedInvocation,
  ArgumentsOf,
  Declaration,
  DeclaredFormula,
  Expression,
  FormulaRequest,
  Invocation,
  ReactorResult,
} from './typed-formulas.ts'
export {
  type SignedHeaders,
  type SignOptions,
  type VerifyOptions,
  type WebhookHeaders,
  type WebhookPayload,
  WebhookVerificationError,
  webhooks,
} from './webhooks.ts'
