import { availableParallelism, totalmem } from 'node:os'
import { limits } from '../generated/facts.ts'
import type { BackOffLimits } from './back-off.ts'

/** Limits on the cost and number of invocations. Times are in real milliseconds. */
export interface SandboxLimits {
  /** Processor time of one invocation, by lane. */
  readonly cpuMs: { readonly sync: number; readonly async: number }
  /** Size of the JSON that an invocation returns. */
  readonly outputBytes: number
  /** V8's heap of one process, in MiB. */
  readonly heapMiB: number
  /** All private memory of a process, including buffers outside the heap, in MiB. */
  readonly dataMiB: number
  /** The usual resident memory of a process, in MiB. Determines how many processes there may be. */
  readonly usualMiB: number
  /** Resident memory of all processes together, in MiB. Above it, the largest process is ended. */
  readonly memoryMiB: number
  /** Requests of `svc` and `fetch`: open at once, in total, bytes of each body, and bytes of unread responses. */
  readonly calls: {
    readonly open: number
    readonly total: number
    readonly bodyBytes: number
    readonly unreadBytes: number
  }
  /** Output on the console; the rest is dropped. */
  readonly console: { readonly lines: number; readonly lineLength: number; readonly bytes: number }
  /** Frames and bytes that one invocation may send, of all types together. */
  readonly traffic: { readonly frames: number; readonly bytes: number }
  /** Pending timers. */
  readonly timers: number
  /** Invocations that run at once, for each lane and depth; and those of one tenant among them. */
  readonly slots: number
  readonly slotsPerTenant: number
  /** Waiting invocations and the bytes of their input, for each lane and depth; and those of one tenant. */
  readonly queue: number
  readonly queuePerTenant: number
  readonly queueBytes: number
  readonly queueBytesPerTenant: number
  /** Time that an invocation may wait for a process. */
  readonly waitMs: number
  /** The wait of a tenant for its next process after its code caused one to be ended. */
  readonly backOff: BackOffLimits
  /** Maximum nesting of formulas that call formulas. */
  readonly depth: number
  /** Started processes without a tenant. */
  readonly spares: number
  /** Free processes that wait for the next invocation of their tenant, and for how long. */
  readonly idle: number
  readonly idleMs: number
  /** A process is replaced after this many invocations, or above this resident size in MiB. */
  readonly runsPerProcess: number
  readonly residentMiB: number
  /** Time from the answer until nothing of the invocation may be left. */
  readonly drainMs: number
  /** Time for a process to start. */
  readonly startMs: number
  /** Processes that parse and rewrite code. */
  readonly preparers: number
  /** Processor time for preparing one text, and the real time in which a process must get it. */
  readonly prepareMs: number
  readonly prepareWithinMs: number
}

/** Returns the maximum number of processes that run formulas, busy or idle. */
export function mostProcesses({ memoryMiB, usualMiB, depth, preparers }: SandboxLimits): number {
  // At least enough for sync and async work at every depth.
  return Math.max(depth + 2, Math.floor(memoryMiB / usualMiB) - preparers)
}

/** Returns half of the memory of this machine or container. */
export function memoryShareMiB(constrained: number | undefined = process.constrainedMemory()): number {
  return Math.floor(Math.min(totalmem(), constrained || Number.POSITIVE_INFINITY) / 2 ** 21)
}

/** The default limits. */
export function defaultLimits(cores: number = availableParallelism()): SandboxLimits {
  const slots = Math.max(8, 4 * cores)
  return {
    cpuMs: { sync: 5_000, async: 30_000 },
    outputBytes: limits.formulaOutputBytes,
    heapMiB: 96,
    dataMiB: 320,
    usualMiB: 128,
    memoryMiB: memoryShareMiB(),
    calls: { open: 20, total: 200, bodyBytes: limits.formulaOutputBytes, unreadBytes: 32 * 1024 * 1024 },
    console: { lines: 100, lineLength: 4_096, bytes: 64 * 1024 },
    traffic: { frames: 1_000, bytes: 64 * 1024 * 1024 },
    timers: 256,
    slots,
    slotsPerTenant: Math.max(1, slots / 2),
    queue: 512,
    queuePerTenant: 64,
    queueBytes: 64 * 1024 * 1024,
    queueBytesPerTenant: 16 * 1024 * 1024,
    waitMs: 10_000,
    backOff: { firstMs: 100, mostMs: 3_000, forgetMs: 60_000, tenants: 10_000 },
    depth: limits.formulaDepth,
    spares: 2,
    idle: slots,
    idleMs: 60_000,
    runsPerProcess: 1_000,
    residentMiB: 160,
    drainMs: 150,
    startMs: 10_000,
    preparers: 2,
    prepareMs: 2_000,
    prepareWithinMs: 8_000,
  }
}
