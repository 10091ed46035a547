/**
 * What metrics, traces and the access log are told. Every text in here is from a fixed set of ours: nothing that a
 * caller sent, and no id of a tenant's data.
 */
export interface Observer {
  /** Called when a request begins. */
  request(begun: BegunRequest): ObservedRequest
  /** Performs a piece of work, and observes how it goes. */
  run<T>(work: Work<T>, perform: () => Promise<T>): Promise<T>
  /** Counts something that happened. */
  count(event: CountedEvent): void
}

export interface BegunRequest {
  /** The header `traceparent`, as sent. */
  readonly traceparent: string | undefined
}

/** An operation of the contract, as far as observers know it. */
export interface ObservedOperation {
  readonly id: string
  readonly method: string
  /** With `{name}` in the place of a parameter. */
  readonly path: string
  readonly statuses: readonly string[]
}

export interface ObservedCaller {
  readonly tenant: string
  readonly application: string
  readonly type: string
  readonly session?: string
}

export interface ObservedRequest {
  /** Performs the operation. Work that is observed meanwhile belongs to this request. */
  perform<T>(operation: ObservedOperation, caller: ObservedCaller, perform: () => Promise<T>): Promise<T>
  end(ended: EndedRequest): void
}

export interface EndedRequest {
  /** Absent if no path of the contract was asked for. */
  readonly operation: ObservedOperation | undefined
  /** Absent if the key is not valid. */
  readonly caller: ObservedCaller | undefined
  readonly status: number
  readonly traceId: string
  readonly method: string
  /** The code of the refusal, if it was refused. */
  readonly error: string | undefined
  /** The address of the connection's other end; absent without a socket. */
  readonly peer: string | undefined
}

export interface Work<T> {
  readonly kind: 'store' | 'formula' | 'delivery'
  /** An operation of the store; a lane of formulas. */
  readonly name: string
  /** Describes in one word how the work went, from its result. Work that throws has the outcome `error`. */
  outcomeOf(result: T): string
}

export type CountedEvent = 'job accepted' | 'job performed' | 'webhook delivered' | 'webhook given up'

/** Observes for all of these; `undefined` if there are none, so that unobserved work costs nothing. */
export function joinObservers(observers: readonly Observer[]): Observer | undefined {
  const [first, ...others] = observers
  const rest = first && joinObservers(others)
  if (!first || !rest) return first
  return {
    request: begun => {
      const [a, b] = [first.request(begun), rest.request(begun)]
      return {
        perform: (operation, caller, perform) =>
          a.perform(operation, caller, () => b.perform(operation, caller, perform)),
        end: ended => {
          a.end(ended)
          b.end(ended)
        },
      }
    },
    run: (work, perform) => first.run(work, () => rest.run(work, perform)),
    count: event => {
      first.count(event)
      rest.count(event)
    },
  }
}
