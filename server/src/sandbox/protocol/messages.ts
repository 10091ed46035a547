import type { ErrorCode } from '../../base/errors.ts'
import type { SandboxLimits } from '../sandbox-limits.ts'

/**
 * The messages between host and runner; `frames.ts` has their encoding. There is one invocation at a time: the
 * runner sends `done` with the answer, and `idle` when nothing of the invocation is left.
 */

/** The classes of `@surrogate/formula-errors` that map to an error of the API: its code, and a text for the caller. */
// Requirements: INV-507
export const formulaErrors = {
  BadRequestError: ['validation', 'the formula refused the arguments'],
  AuthenticationError: ['unauthenticated', 'the formula could not authenticate itself or its caller'],
  InvalidPaymentMethodError: ['payment_method', 'the formula refused the means of payment'],
  AuthorizationError: ['permission_denied', 'the formula refused to do this for its caller'],
  RateLimitError: ['rate_limited', 'the formula was invoked too often'],
  ReactorRuntimeError: ['reactor_runtime', 'the formula failed'],
  InvalidReactorConfigurationError: ['validation', "the formula refused the reactor's configuration"],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

export type FormulaErrorName = keyof typeof formulaErrors

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** The first frame. Parts of the body: the program, its code cache, the classes, the client, the program that rewrites code, the two programs of Node's modules, and those of the operator. */
export interface BootHeader {
  readonly parts: readonly number[]
  readonly svcNames: readonly string[]
  readonly headerPrefix: string
  readonly moduleNames: readonly string[]
  readonly wantsCache: boolean
  readonly limits: RunnerLimits
}

/** Limits that the runner enforces. The host enforces most of them too. */
export type RunnerLimits = Pick<SandboxLimits, 'outputBytes' | 'calls' | 'console' | 'timers'>

export type ToRunner =
  /** Body: the code, then `{ args, configuration }` as JSON. */
  | {
      readonly type: 'run'
      readonly run: number
      readonly codeLength: number
      readonly svc: boolean
      readonly fetch: boolean
      /** True to report what the formula said when it failed. */
      readonly explains: boolean
    }
  /** Body: the body of the response. */
  | {
      readonly type: 'answer'
      readonly call: number
      readonly status: number
      readonly headers: HeaderPairs
    }
  | { readonly type: 'failure'; readonly call: number; readonly message: string }

/** The error of a formula in its own words, which may quote data. Sent to those only who develop the formula. */
export interface Thrown {
  readonly message: string
  /** The innermost calls in the code of the formula, such as `at charge (formula.js:3:11)`. */
  readonly stack: readonly string[]
}

export const thrownLimits = { message: 1_000, lines: 10, line: 200 }

/** The result of an invocation, as the runner sends it. */
export type Report =
  | { readonly kind: 'answered'; readonly raw?: unknown; readonly tokenize?: unknown }
  | { readonly kind: 'custom'; readonly response: unknown }
  | ({ readonly thrown?: Thrown | undefined } & Failed)

type Failed =
  | { readonly kind: 'refused'; readonly error: string; readonly errors: Record<string, string[]> }
  | { readonly kind: 'unusable'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly detail: string }
