import type { Immutable } from '../contract/types.ts'
import type { DevOperationId, DevOperations } from '../generated/dev-operations.ts'

type Data<Id extends DevOperationId> = DevOperations[Id]['data']
type Responses<Id extends DevOperationId> = DevOperations[Id]['responses']

/** A request of a test, as the contract accepts it. */
export interface DevRequest<Id extends DevOperationId> {
  /** The tenant whose management key came with it; empty if the operation takes no key. */
  readonly tenant: string
  readonly path: Immutable<NonNullable<Data<Id>['path']>>
  readonly query: Immutable<NonNullable<Data<Id>['query']>>
  readonly body: Immutable<Data<Id>['body']>
  /** Calls a function when the caller is gone, or has its response. */
  readonly onDisconnect?: ((listener: () => void) => void) | undefined
}

/** Responses without a body are `void` among the generated types. */
type Body<T> = undefined extends T ? { readonly body?: never } : { readonly body: Immutable<T> }

type DevAnswer<Id extends DevOperationId> = {
  [S in keyof Responses<Id> & number]: { readonly status: S } & Body<Responses<Id>[S]>
}[keyof Responses<Id> & number]

/** A response that goes on: server-sent events. */
export interface DevEventsAnswer {
  readonly status: 200
  readonly events: AsyncIterableIterator<string, undefined>
}

type DevHandler<Id extends DevOperationId> = (
  request: DevRequest<Id>,
) => Promise<Id extends 'dev.events.stream' ? DevEventsAnswer : DevAnswer<Id>>

/** A handler for each operation of development servers. */
export type DevHandlers = { readonly [Id in DevOperationId]: DevHandler<Id> }

/** The handlers of the operations whose ids begin with `Tag`. */
export type DevHandlersOf<Tag extends string> = Pick<
  DevHandlers,
  Extract<DevOperationId, `dev.${Tag}` | `dev.${Tag}.${string}`>
>
