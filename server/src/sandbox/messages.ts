/**
 * What host and runner say to each other; see `frames.ts` for how. One invocation at a time: the runner says
 * `done` when it has the answer, and `idle` when nothing of the invocation is left.
 */

/** The classes of `@surrogate/formula-errors` that stand for a status of ours. */
export const formulaErrorNames = [
  'BadRequestError',
  'AuthenticationError',
  'InvalidPaymentMethodError',
  'AuthorizationError',
  'RateLimitError',
  'ReactorRuntimeError',
  'InvalidReactorConfigurationError',
] as const

/** Once, before anything else. Parts of the body: program, its compiled form, classes, client, and the modules. */
export interface BootHeader {
  readonly parts: readonly number[]
  readonly svcNames: readonly string[]
  readonly headerPrefix: string
  readonly moduleNames: readonly string[]
  readonly wantsCache: boolean
  readonly limits: RunnerLimits
}

/** The limits a runner keeps by itself. The host holds it to most of them besides. */
export interface RunnerLimits {
  readonly outputBytes: number
  readonly callBodyBytes: number
  readonly consoleLines: number
  readonly consoleLineLength: number
  readonly consoleBytes: number
  readonly timers: number
}

export type ToRunner =
  /** Body: the code, then `{ args, configuration }` as JSON. */
  | {
      readonly type: 'run'
      readonly run: number
      readonly codeLength: number
      readonly svc: boolean
      readonly fetch: boolean
    }
  /** Body: of the response. */
  | {
      readonly type: 'answer'
      readonly call: number
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
    }
  | { readonly type: 'failure'; readonly call: number; readonly message: string }

export type FromRunner =
  /** Body: the compiled form of the program, where it was asked for. */
  | { readonly type: 'ready' }
  | { readonly type: 'console'; readonly run: number; readonly level: string; readonly text: string }
  /** Body: of the request, where `hasBody`. */
  | {
      readonly type: 'call'
      readonly run: number
      readonly call: number
      readonly kind: 'svc' | 'fetch'
      readonly method: string
      readonly target: string
      readonly headers: readonly (readonly [string, string])[]
      readonly hasBody: boolean
    }
  /** Body: JSON of a `Report`. */
  | { readonly type: 'done'; readonly run: number }
  | { readonly type: 'idle'; readonly run: number; readonly worn: boolean }

/** How an invocation ended, as the runner tells it. */
export type Report =
  | { readonly kind: 'answered'; readonly raw?: unknown; readonly tokenize?: unknown }
  | { readonly kind: 'custom'; readonly response: unknown }
  | { readonly kind: 'refused'; readonly error: string; readonly errors: Record<string, string[]> }
  | { readonly kind: 'unusable'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly detail: string }
