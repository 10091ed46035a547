import type { SandboxLimits } from './limits.ts'
import type { Invocation } from './sandbox.ts'

/** One formula that tries one thing, and what must come of it. */
export interface Attack {
  readonly name: string
  /** The body of the formula, or its whole code. */
  readonly tries?: string
  readonly code?: string
  /** What the outcome matches; `raw` is equal. */
  readonly must: object
  readonly given?: Partial<Invocation>
  readonly limits?: Partial<SandboxLimits>
  /** Run next, for the same tenant. */
  readonly next?: string
  readonly nextCode?: string
  readonly nextMust?: object
  /** Nothing may have been printed. */
  readonly quiet?: true
}
