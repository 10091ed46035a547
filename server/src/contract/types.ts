import type { JsonValue } from '../base/json/json.ts'
import type * as contract from '../generated/types/types.gen.ts'

/** A type of the contract as the server passes it on: read-only, and any JSON where the contract allows anything. */
export type Immutable<T> = unknown extends T
  ? JsonValue
  : T extends unknown[]
    ? ImmutableList<T[number]>
    : T extends Record<string, unknown>
      ? { readonly [Name in keyof T]: Immutable<T[Name]> }
      : T

/** A list of nulls alone is how the contract states an empty list. */
type ImmutableList<T> = unknown extends T
  ? JsonValue[]
  : [T] extends [null]
    ? readonly never[]
    : readonly Immutable<T>[]

export type {
  ApplicationPermission as Permission,
  ApplicationType,
  LogEntityType,
  ReactorFormulaType,
  TokenPermission,
  TokenType,
  Transform,
  ValueType,
} from '../generated/types/types.gen.ts'

export type AccessCondition = Immutable<contract.AccessCondition>
export type AccessRule = Immutable<contract.AccessRule>
export type Application = Immutable<contract.Application>
export type ApplicationKey = Immutable<contract.ApplicationKey>
export type ApplicationKeyWithSecret = Immutable<contract.ApplicationKeyWithSecret>
export type ApplicationWithKey = Immutable<contract.ApplicationWithKey>
export type AuthorizeSessionRequest = Immutable<contract.AuthorizeSessionRequest>
export type ConfigurationDefinition = Immutable<contract.ConfigurationDefinition>
export type CreateApplicationRequest = Immutable<contract.CreateApplicationRequest>
export type CreateReactorRequest = Immutable<contract.CreateReactorRequest>
export type CreateSessionResponse = Immutable<contract.CreateSessionResponse>
export type Job = Immutable<contract.Job>
export type Explanation = Immutable<contract.Explanation>
export type LogEntry = Immutable<contract.LogEntry>
export type PatchReactorRequest = Immutable<contract.PatchReactorRequest>
export type PermissionDescription = Immutable<contract.PermissionDescription>
export type ReactRequest = Immutable<contract.ReactRequest>
export type Reactor = Immutable<contract.Reactor>
export type ReactorConfiguration = Immutable<contract.ReactorConfiguration>
export type ReactorFormula = Immutable<contract.ReactorFormula>
export type ReactorFormulaRequest = Immutable<contract.ReactorFormulaRequest>
export type RequestParameterDefinition = Immutable<contract.RequestParameterDefinition>
export type SearchTokensRequest = Immutable<contract.SearchTokensRequest>
export type Tenant = Immutable<contract.Tenant>
export type Token = Immutable<contract.Token>
export type TokenizedPayload = Immutable<contract.TokenizedPayload>
export type UpdateApplicationRequest = Immutable<contract.UpdateApplicationRequest>
export type UpdateReactorRequest = Immutable<contract.UpdateReactorRequest>
export type UpdateTenantRequest = Immutable<contract.UpdateTenantRequest>
export type UpdateTokenRequest = Immutable<contract.UpdateTokenRequest>

type AnyCreateTokenRequest = Immutable<contract.CreateTokenRequest>
/** A request to create a token of any type, whose data the contract holds against its type. */
export type CreateTokenRequest = Pick<AnyCreateTokenRequest, keyof AnyCreateTokenRequest>
