import type { RecordedKey } from '../../access/application-keys.ts'
import type { Caller } from '../../access/caller.ts'
import type { JsonValue } from '../../base/json/json.ts'
import type { LongPage } from '../../base/page.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Immutable } from '../../contract/types.ts'
import type { OperationId, Operations } from '../../generated/operations.ts'
import type { RecordedSession } from '../../sessions/create.ts'
import type { RecordedTokens } from '../../tokens/payloads/recorded-tokens.ts'
import type { RecordedUpdate } from '../../tokens/update.ts'
import type { RecordedReaction } from '../../webhooks/reaction.ts'
import type { Receipt, RecordedAnswer, RecordedEntity } from '../pipeline/idempotency.ts'
import type { Answer } from '../transport/message.ts'

type Data<Id extends OperationId> = Operations[Id]['data']
type Query<Id extends OperationId> = NonNullable<Data<Id>['query']>
type Responses<Id extends OperationId> = Operations[Id]['responses']
type Status<Id extends OperationId> = keyof Responses<Id> & number

/** A request that the contract accepts, with the contract's defaults for its query. */
export interface HandlerRequest<Id extends OperationId> {
  readonly caller: Caller
  readonly path: Immutable<NonNullable<Data<Id>['path']>>
  readonly query: Immutable<
    Query<Id> & Required<Pick<Query<Id>, Operations[Id]['defaulted'] & keyof Query<Id>>>
  >
  readonly body: Immutable<Data<Id>['body']>
  readonly traceId: string
  /** The number of formulas that wait for the response; 0 for a request from outside. */
  readonly depth: number
  /** With an idempotency key: keeps the answer, in the commit that does the work. */
  readonly receipt?: Receipt<Recorded<Id>> | undefined
}

/** An answer that the contract has for this operation. */
export type HandlerAnswer<Id extends OperationId> =
  | { [S in Status<Id>]: { readonly status: S } & Body<Responses<Id>[S]> }[Status<Id>]
  | ('default' extends keyof Operations[Id]['errors'] ? ChosenAnswer : never)

/** Responses without a body are `unknown` or `void` among the generated types. */
type Body<T> = undefined extends T ? { readonly body?: never } : { readonly body: Immutable<T> | Long<T> }

type Long<T> = T extends { data: (infer Item)[] } ? LongPage<Immutable<Item>> : never

/** An answer that a formula chose: the contract allows any status and body. */
interface ChosenAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body?: JsonValue
  readonly chosen: true
}

/** Calls one verb of the domain with the parts of a request, and puts its outcome into an answer. */
export type Handler<Id extends OperationId> = (request: HandlerRequest<Id>) => Promise<HandlerAnswer<Id>>

/** Puts the outcome of a verb of the domain into an answer. */
export async function answer<S extends number>(
  status: S,
  done: Promise<void>,
): Promise<{ readonly status: S }>
export async function answer<S extends number, T>(
  status: S,
  body: Promise<T>,
): Promise<{ readonly status: S; readonly body: T }>
export async function answer(status: number, body: Promise<unknown>) {
  return { status, body: await body }
}

/** A handler for each operation of the contract. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

/** @throws {Error} if an operation has no handler, or a handler has no operation */
export function checkHandlers(handlers: object, operations: readonly Pick<Operation, 'id'>[]): void {
  const ids: readonly string[] = operations.map(({ id }) => id)
  const names = Object.keys(handlers)
  const withoutHandler = ids.filter(id => !names.includes(id))
  const withoutOperation = names.filter(name => !ids.includes(name))
  if (withoutHandler.length > 0) throw new Error(`no handler for ${withoutHandler.join(', ')}`)
  if (withoutOperation.length > 0) throw new Error(`no operation for ${withoutOperation.join(', ')}`)
}

/** The handlers of the operations whose ids begin with `Tag`. */
export type HandlersOf<Tag extends string> = Pick<Handlers, Extract<OperationId, `${Tag}.${string}`>>

/** The parts of a response that a receipt keeps: the id of what was made, and values that are stored nowhere else. */
interface RecordedParts {
  'tokens.create': { readonly details: RecordedTokens }
  'tokens.update': RecordedUpdate
  tokenize: { readonly details: RecordedTokens }
  'reactorFormulas.create': RecordedEntity
  'reactorFormulas.update': RecordedEntity
  'reactors.create': RecordedEntity
  'reactors.update': RecordedEntity
  'reactors.patch': RecordedEntity
  /** Without details: accepted, to be delivered to the callback. */
  'reactors.react': { readonly details?: RecordedReaction }
  'sessions.create': RecordedSession
  'sessions.authorize': RecordedEntity
  'applications.create': RecordedKey
  'applications.update': RecordedEntity
  'applications.regenerateKey': RecordedKey
  'applications.addKey': RecordedKey
  'tenants.update': RecordedEntity
}

type Recorded<Id extends OperationId> = Id extends keyof RecordedParts ? RecordedParts[Id] : RecordedAnswer

/** The operations that take an idempotency key. */
type IdempotentId = { [Id in OperationId]: 'headers' extends keyof Data<Id> ? Id : never }[OperationId]

/**
 * Answers a repeated request from what is stored now, by the caller's present rights. Throws what the first request
 * would throw if they do not suffice, and `not_found` if what was made is gone.
 */
// Requirements: IDE-522
type Replay<Id extends OperationId> = (
  request: HandlerRequest<Id>,
  recorded: Recorded<Id>,
) => Promise<HandlerAnswer<Id>>

/** A replay for each operation that takes an idempotency key. */
export type Replays = { readonly [Id in IdempotentId]: Replay<Id> }

/** The parts of a request after their validation, before they have the types of one operation. */
export interface ValidatedRequest
  extends Omit<HandlerRequest<'tokens.create'>, 'path' | 'query' | 'body' | 'receipt'> {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, JsonValue>>
  readonly body: JsonValue | undefined
  readonly receipt?: Receipt | undefined
}

export type ValidatedHandler = (request: ValidatedRequest) => Promise<Answer>
type ValidatedReplay = (request: ValidatedRequest, recorded: RecordedAnswer) => Promise<Answer>

/** Returns the handler of an operation. The contract's validators stand for the types that it asks for. */
export function handlerOf(handlers: Handlers, id: OperationId): ValidatedHandler {
  return handlers[id] as unknown as ValidatedHandler
}

/** Like `handlerOf`, for a replay; `undefined` if the operation takes no idempotency key. */
export function replayOf(replays: Replays, id: OperationId): ValidatedReplay | undefined {
  return replays[id as keyof Replays] as unknown as ValidatedReplay | undefined
}
