import type { Caller } from '../access/caller.ts'
import { type ErrorCode, errorRegistry } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { Observer, Work } from '../base/observer.ts'
import type { EgressRequest } from '../egress/formula-egress.ts'
import { type FormulaErrorName, formulaErrors, type Thrown } from './protocol/messages.ts'
import type { SandboxLimits } from './sandbox-limits.ts'

/** Runs formula code. The interface for the rest of the server; it hides processes and compartments. */
export interface Sandbox {
  /** Never rejects because of the code: however that fails, it is an `Outcome`. */
  run(invocation: Invocation): Promise<Outcome>
  close(): Promise<void>
}

export interface Invocation {
  /** The owner of the code and data: no process ever serves two tenants. */
  readonly tenant: string
  /** Who invokes it: each has a share of the processes and of the queue. */
  readonly application?: string | undefined
  readonly session?: string | undefined
  /** Whose formula it is, and who invokes it, for whoever watches. */
  readonly reactor?: string
  readonly caller?: Caller
  /** CommonJS that exports a function, plain or async. */
  readonly code: string
  readonly args: JsonValue
  readonly configuration: Readonly<Record<string, JsonValue>>
  /** Serves the requests of the formula's `svc` client; with `null`, the formula has no client. */
  readonly svc: ServiceTransport | null
  /** Time limit of the formula in real milliseconds. The wait for a process comes before it, with its own limit. */
  readonly timeoutMs: number
  /** Long asynchronous work has a separate queue, so that it cannot delay short work. */
  readonly lane: 'sync' | 'async'
  /** The number of formulas that wait for this one to end; 0 for an invocation from outside. */
  readonly depth: number
  /** Receives each line that the code prints. The sandbox itself never logs it. */
  readonly onConsole?: (line: ConsoleLine) => void
  /** True to put what the formula said into the outcome of a failure. For those who develop the formula only. */
  readonly explains?: boolean
}

/** What a formula printed in the run that failed; added by a development server. */
export interface PrintedText {
  readonly level: string
  readonly text: string
}

export interface ConsoleLine {
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error'
  readonly text: string
}

/** Performs one request of a formula's client. The host decides on whose behalf, never the request. */
export type ServiceTransport = (request: ServiceRequest) => Promise<ServiceResponse>

export interface ServiceRequest {
  readonly method: string
  /** Includes the query, such as `/tokens?size=5`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Aborted when the invocation has ended. */
  readonly signal?: AbortSignal
}

export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

export type { FormulaErrorName }

export type Outcome =
  | { readonly kind: 'answered'; readonly raw?: JsonValue; readonly tokenize?: JsonValue }
  /** `CustomHttpResponseError`: the formula chose the response, as far as `custom-response.ts` allows. */
  | {
      readonly kind: 'custom'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body?: JsonValue
    }
  /** The formula threw one of the error classes; `errors` maps a path to messages, as in a problem document. */
  | {
      readonly kind: 'refused'
      readonly error: FormulaErrorName
      readonly errors: Readonly<Record<string, readonly string[]>>
      readonly thrown?: Thrown
      readonly printed?: readonly PrintedText[]
    }
  /** The code does not compile, or exports no function. */
  | {
      readonly kind: 'unusable'
      readonly detail: string
      readonly thrown?: Thrown
      readonly printed?: readonly PrintedText[]
    }
  /** Any other failure. `detail` is for the caller: it contains no path or stack of the host, and no data. */
  | {
      readonly kind: 'failed'
      readonly reason: 'threw' | 'time' | 'memory' | 'output' | 'crash' | 'shape'
      readonly detail: string
      readonly thrown?: Thrown
      readonly printed?: readonly PrintedText[]
    }
  /** No process was free in time, or too many invocations are waiting. The code was not run: try again later. */
  | { readonly kind: 'busy' }

/** Performs requests of formulas. It decides which origins they may reach. For any rejection, the formula gets a TypeError without the reason. */
export type Egress = (request: EgressRequest) => Promise<ServiceResponse>

export interface SandboxOptions {
  /** The short name in header names. `req` has the client under this name in lower case, and as `svc`. */
  readonly headerPrefix?: string
  /** Packages that formulas may require, resolved from `moduleRoot`. Bundled when the sandbox first starts. */
  readonly modules?: readonly string[]
  /** A file that exports a function of the client, whose result formulas get instead of it. */
  readonly client?: string
  /** The folder from which packages are resolved. Default: the working directory. */
  readonly moduleRoot?: string
  /** The folder in which bundled modules are kept between starts. By default they are not. */
  readonly moduleCache?: string | undefined
  /** Performs `fetch`; without it, formulas have no network. */
  readonly egress?: Egress
  readonly log?: Log
  readonly limits?: Partial<SandboxLimits>
}

const outcomeOf = (outcome: Outcome) => (outcome.kind === 'failed' ? outcome.reason : outcome.kind)

const works = {
  sync: { kind: 'formula', name: 'sync', outcomeOf },
  async: { kind: 'formula', name: 'async', outcomeOf },
} as const satisfies Record<string, Work<Outcome>>

/** The same sandbox, with its invocations observed. */
export function observeSandbox(sandbox: Sandbox, observer: Observer | undefined): Sandbox {
  if (!observer) return sandbox
  return {
    run: invocation => observer.run(works[invocation.lane], () => sandbox.run(invocation)),
    close: () => sandbox.close(),
  }
}

/** An outcome without a response of the formula. */
export type Failure = Exclude<Outcome, { kind: 'answered' } | { kind: 'custom' }>

/** Returns the error code for a failure. */
export function failureCode(failure: Failure): ErrorCode {
  switch (failure.kind) {
    case 'refused':
      return formulaErrors[failure.error][0]
    // Requirements: INV-509
    case 'unusable':
      return 'unprocessable'
    // Requirements: INV-510
    case 'failed':
      return 'reactor_runtime'
    case 'busy':
      return 'rate_limited'
  }
}

/** Returns the HTTP status of an invocation. */
export function outcomeStatus(outcome: Outcome): number {
  if (outcome.kind === 'answered') return 200
  return outcome.kind === 'custom' ? outcome.status : errorRegistry[failureCode(outcome)].status
}
