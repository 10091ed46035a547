import type { Log } from '../base/log.ts'
import type { EgressRequest } from '../egress/formula-egress.ts'
import type { SandboxLimits } from './limits.ts'
import type { ServiceResponse } from './sandbox.ts'

/** Performs requests of formulas. It decides which origins they may reach. For any rejection, the formula gets a TypeError without the reason. */
export type Egress = (request: EgressRequest) => Promise<ServiceResponse>

export interface SandboxOptions {
  /** The short name in header names. `req` has the client under this name in lower case, and as `svc`. */
  readonly headerPrefix?: string
  /** Packages that formulas may require, resolved from `moduleRoot`. Bundled when the sandbox first starts. */
  readonly modules?: readonly string[]
  /** The folder from which packages are resolved. Default: the working directory. */
  readonly moduleRoot?: string
  /** Performs `fetch`; without it, formulas have no network. */
  readonly egress?: Egress
  readonly log?: Log
  readonly limits?: Partial<SandboxLimits>
  /** Runs formulas in V8's interpreter only: slower at arithmetic, with a much smaller attack surface. Default true. */
  readonly jitless?: boolean
}
