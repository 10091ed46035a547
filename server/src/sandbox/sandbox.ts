import type { JsonValue } from '../base/json.ts'
import type { formulaErrorNames } from './messages.ts'

/** What runs formula code, as the rest of the server sees it: nothing of processes or compartments. */
export interface Sandbox {
  /** Never rejects for what the code does, however it fails; that is an `Outcome`. */
  run(invocation: Invocation): Promise<Outcome>
  close(): Promise<void>
}

export interface Invocation {
  /** Whose code and data this is: no process ever serves two tenants. */
  readonly tenant: string
  /** CommonJS that exports a function, plain or async. */
  readonly code: string
  readonly args: JsonValue
  readonly configuration: Readonly<Record<string, JsonValue>>
  /** Answers what the formula's `svc` client asks for; `null` gives the formula no client. */
  readonly svc: ServiceTransport | null
  /** Real milliseconds that the formula may run. The wait for a process comes before, and has a bound of its own. */
  readonly timeoutMs: number
  /** Long asynchronous work waits apart, so that it cannot hold up the short. */
  readonly lane: 'sync' | 'async'
  /** How many formulas wait for this one to end; 0 for an invocation from outside. */
  readonly depth: number
  /** What the code prints; the host keeps it from every log of its own. */
  readonly onConsole?: (line: ConsoleLine) => void
}

export interface ConsoleLine {
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error'
  readonly text: string
}

/** One request of a formula's client, and its answer. Whose rights hold is bound by the host, not named here. */
export type ServiceTransport = (request: ServiceRequest) => Promise<ServiceResponse>

export interface ServiceRequest {
  readonly method: string
  /** With its query, such as `/tokens?size=5`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

/** The classes of `@surrogate/formula-errors` that stand for a status of ours. */
export type FormulaErrorName = (typeof formulaErrorNames)[number]

export type Outcome =
  | { readonly kind: 'answered'; readonly raw?: JsonValue; readonly tokenize?: JsonValue }
  /** `CustomHttpResponseError`: the formula chose the response, within what `custom-response.ts` allows. */
  | {
      readonly kind: 'custom'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body?: JsonValue
    }
  /** One of our error classes; `errors` maps a path to messages, as in a problem. */
  | {
      readonly kind: 'refused'
      readonly error: FormulaErrorName
      readonly errors: Readonly<Record<string, readonly string[]>>
    }
  /** The code does not compile, or exports no function. */
  | { readonly kind: 'unusable'; readonly detail: string }
  /** Anything else: `detail` is for the caller, and holds no path or stack of the host and no data. */
  | {
      readonly kind: 'failed'
      readonly reason: 'threw' | 'time' | 'memory' | 'output' | 'crash' | 'shape'
      readonly detail: string
    }
  /** No process was free in time, or too many invocations wait for one. Nothing was run: try again later. */
  | { readonly kind: 'busy' }
