import type { AdmissionBounds } from '../base/limits.ts'
import type { Random } from '../base/random.ts'
import type { Resolve } from '../egress/resolve.ts'
import type { ProxyLimits } from '../proxy/proxy.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxParts } from '../sandbox/start.ts'
import type { OpenOptions, StorageLocation } from '../storage/open.ts'
import type { OpenEngine } from '../storage/port/port.ts'
import type { Performer, WebhookParts } from '../webhooks/webhook-parts.ts'
import type { Jobs } from '../webhooks/webhooks.ts'

/** Parts of a vault that tests and benches replace. */
export interface VaultParts {
  readonly admissionBounds?: Partial<AdmissionBounds>
  readonly openStore?: (location: StorageLocation, options: OpenOptions) => Promise<OpenEngine>
  readonly random?: Random
  /** The monotonic time, in milliseconds, by which long requests yield to others. */
  readonly monotonicMs?: () => number
  /** Runs asynchronous invocations. */
  readonly performer?: Performer
  /** Runs formulas. The vault closes it. */
  readonly sandbox?: Sandbox
  readonly sandboxParts?: SandboxParts
  readonly proxy?: { readonly resolve?: Resolve; readonly limits?: Partial<ProxyLimits> }
  /** Time that a closing vault waits for requests in flight, in real milliseconds. */
  readonly closeGraceMs?: number
  /** Makes the queue of asynchronous invocations. */
  readonly jobs?: (performer: Performer, rooms: Pick<WebhookParts, 'records' | 'tokens' | 'clock'>) => Jobs
}
