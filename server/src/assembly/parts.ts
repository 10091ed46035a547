import type { Random } from '../base/random.ts'
import type { SandboxParts } from '../sandbox/create.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StorageLocation } from '../storage/open.ts'
import type { Store } from '../storage/port.ts'
import type { TokensContext } from '../tokens/context.ts'
import type { Performer } from '../webhooks/context.ts'
import type { Jobs } from '../webhooks/webhooks.ts'

/** Parts of a vault that tests and benches replace. */
export interface VaultParts {
  readonly openStore?: (location: StorageLocation, migrate?: boolean) => Promise<Store>
  readonly random?: Random
  /** The monotonic time, in milliseconds, by which long requests yield to others. */
  readonly monotonicMs?: () => number
  /** Runs asynchronous invocations. */
  readonly performer?: Performer
  /** Runs formulas. The vault closes it. */
  readonly sandbox?: Sandbox
  readonly sandboxParts?: SandboxParts
  /** Makes the queue of asynchronous invocations. */
  readonly jobs?: (performer: Performer, tokens: TokensContext) => Jobs
}
