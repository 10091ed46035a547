import { availableParallelism, totalmem } from 'node:os'
import { type LimitsLike, sandboxLimits } from '../base/limits.ts'

/** Limits on the cost and number of invocations. */
export interface SandboxLimits extends LimitsLike<typeof sandboxLimits> {
  /** Resident memory of all processes together, in MiB. Above it, the largest process is ended. */
  readonly memoryMiB: number
  /** Invocations that run at once, for each lane and depth; and those of one tenant among them. */
  readonly slots: number
  readonly slotsPerTenant: number
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

/** Returns the limits for a machine. */
export function defaultLimits(cores: number = availableParallelism()): SandboxLimits {
  const slots = Math.max(8, 4 * cores)
  return {
    ...sandboxLimits,
    memoryMiB: memoryShareMiB(),
    slots,
    slotsPerTenant: Math.max(1, slots / 2),
    idle: slots,
  }
}
