import type { Invocation } from './sandbox.ts'
import type { SandboxLimits } from './sandbox-limits.ts'

/** A formula that tries one attack, and the expected outcome. */
export interface Attack {
  readonly name: string
  /** The body of the formula; or its whole code in `code`. */
  readonly tries?: string
  readonly code?: string
  /** The outcome must match this; `raw` must be equal. */
  readonly must: object
  readonly given?: Partial<Invocation>
  readonly limits?: Partial<SandboxLimits>
  /** The body of a formula that is run next for the same tenant; or its whole code in `nextCode`. */
  readonly next?: string
  readonly nextCode?: string
  readonly nextMust?: object
  /** Set if nothing may have been printed. */
  readonly quiet?: true
}
