import { availableParallelism, totalmem } from 'node:os'
import type { Bounds } from '../base/flow/admission.ts'
import { admissionBounds, type LimitsLike, sandboxLimits } from '../base/limits.ts'

/** Limits on the cost and number of invocations. */
export interface SandboxLimits extends LimitsLike<typeof sandboxLimits> {
  /** Resident memory of all processes together, in MiB. Above it, the largest process is ended. */
  readonly memoryMiB: number
  /** Invocations that run at once, for each lane and depth. */
  readonly running: Bounds
  /** Waiting invocations and the bytes of their input, for each lane and depth. */
  readonly waiting: Bounds
  readonly waitingBytes: Bounds
  /** Free processes that wait for the next invocation of their tenant. */
  readonly idle: number
}

/** Returns the maximum number of processes that run formulas, busy or idle. */
export function mostProcesses({ memoryMiB, usualMiB, depth }: SandboxLimits): number {
  // At least enough for sync and async work at every depth.
  return Math.max(depth + 2, Math.floor(memoryMiB / usualMiB))
}

/** Returns half of the memory of this machine or container. */
export function memoryShareMiB(constrained: number | undefined = process.constrainedMemory()): number {
  return Math.floor(Math.min(totalmem(), constrained || Number.POSITIVE_INFINITY) / 2 ** 21)
}

/** A tenant gets half of the slots, an application leaves some of them to others, and a session gets an eighth. */
function runningBounds(slots: number): Bounds {
  const share = (eighths: number) => Math.max(1, Math.floor((slots * eighths) / 8))
  return { total: slots, tenant: share(4), application: share(3), session: share(1) }
}

/** Returns the limits for a machine. */
export function defaultLimits(cores: number = availableParallelism()): SandboxLimits {
  const slots = Math.max(8, 4 * cores)
  return {
    ...sandboxLimits,
    memoryMiB: memoryShareMiB(),
    running: runningBounds(slots),
    waiting: admissionBounds.formulas,
    waitingBytes: admissionBounds.formulaBytes,
    idle: slots,
  }
}
