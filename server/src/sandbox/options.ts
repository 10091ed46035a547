import type { Log } from '../base/log.ts'
import type { SandboxLimits } from './limits.ts'
import type { ServiceResponse } from './sandbox.ts'

/** One `fetch` of a formula. Which origins it may reach is for whoever answers to decide. */
export interface EgressRequest {
  readonly method: string
  /** Absolute, as the formula gave it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Aborts when the invocation is over: nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Rejections reach the formula as a TypeError that says no more than that the request failed. */
export type Egress = (request: EgressRequest) => Promise<ServiceResponse>

export interface SandboxOptions {
  /** The short name in header names; formulas find their client under it in lower case, and as `svc`. */
  readonly headerPrefix?: string
  /** Packages that formulas may require, found from `moduleRoot`. Bundled when the sandbox first starts. */
  readonly modules?: readonly string[]
  /** The folder whose `node_modules` are looked in. By default the working directory. */
  readonly moduleRoot?: string
  /** Answers `fetch`; without it formulas have no network at all. */
  readonly egress?: Egress
  readonly log?: Log
  readonly limits?: Partial<SandboxLimits>
  /** Whether to run formulas without compiling them: slower at arithmetic, and much less to attack. Default true. */
  readonly jitless?: boolean
}
