import { availableParallelism, totalmem } from 'node:os'
import type { BackOffLimits } from './back-off.ts'

/** What an invocation may cost, and how many there may be. Times are real milliseconds. */
export interface SandboxLimits {
  /** Processor time of one invocation, by lane. */
  readonly cpuMs: { readonly sync: number; readonly async: number }
  /** Of the JSON an invocation answers with. */
  readonly outputBytes: number
  /** V8's heap of one process, in MiB. */
  readonly heapMiB: number
  /** All of a process's private memory, buffers outside the heap included, in MiB. */
  readonly dataMiB: number
  /** What a process usually has resident, in MiB: how many there may be is counted by this. */
  readonly usualMiB: number
  /** What all processes together may have resident, in MiB; beyond it the largest is ended. */
  readonly memoryMiB: number
  /** Requests of `svc` and `fetch`: under way at once, in all, and bytes: of each body, and of responses not read yet. */
  readonly calls: {
    readonly open: number
    readonly total: number
    readonly bodyBytes: number
    readonly unreadBytes: number
  }
  /** What a formula may print; the rest is dropped. */
  readonly console: { readonly lines: number; readonly lineLength: number; readonly bytes: number }
  /** Frames and bytes one invocation may send, all kinds together. */
  readonly traffic: { readonly frames: number; readonly bytes: number }
  /** Timers that wait at once. */
  readonly timers: number
  /** Invocations at work at once, by lane and depth; and of one tenant among them. */
  readonly slots: number
  readonly slotsPerTenant: number
  /** Invocations that wait, by lane and depth, and what they hold in bytes; and of one tenant among them. */
  readonly queue: number
  readonly queuePerTenant: number
  readonly queueBytes: number
  readonly queueBytesPerTenant: number
  /** How long an invocation waits for a process. */
  readonly waitMs: number
  /** How long a tenant waits for a process after one was ended for what its code did. */
  readonly backOff: BackOffLimits
  /** A formula may call a formula this many levels deep. */
  readonly depth: number
  /** Processes that wait for a tenant, ready. */
  readonly spares: number
  /** Processes that wait for their tenant's next invocation, and for how long. */
  readonly idle: number
  readonly idleMs: number
  /** A process is replaced after so many invocations, or above this resident size in MiB. */
  readonly runsPerProcess: number
  readonly residentMiB: number
  /** From the answer to the moment nothing of the invocation is left. */
  readonly drainMs: number
  /** Of a process that starts. */
  readonly startMs: number
  /** Processes that read code which holds words the sandbox looks for. */
  readonly readers: number
  /** Processor time of reading one text, and how long a process may take to get that. */
  readonly prepareMs: number
  readonly prepareWithinMs: number
}

/** The processes that may run formulas, those at work and those that wait for work. */
export function mostProcesses({ memoryMiB, usualMiB, depth, readers }: SandboxLimits): number {
  // As many as it takes for short and long work to go on beside each other, at every depth.
  return Math.max(depth + 2, Math.floor(memoryMiB / usualMiB) - readers)
}

/** Half of the memory of this machine, or of the container. */
export function memoryShareMiB(constrained: number | undefined = process.constrainedMemory()): number {
  return Math.floor(Math.min(totalmem(), constrained || Number.POSITIVE_INFINITY) / 2 ** 21)
}

/** The limits in force unless told otherwise. */
export function defaultLimits(cores: number = availableParallelism()): SandboxLimits {
  const slots = Math.max(8, 4 * cores)
  return {
    cpuMs: { sync: 5_000, async: 30_000 },
    outputBytes: 5 * 1024 * 1024,
    heapMiB: 96,
    dataMiB: 320,
    usualMiB: 128,
    memoryMiB: memoryShareMiB(),
    calls: { open: 20, total: 200, bodyBytes: 5 * 1024 * 1024, unreadBytes: 32 * 1024 * 1024 },
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
    depth: 2,
    spares: 2,
    idle: slots,
    idleMs: 60_000,
    runsPerProcess: 1_000,
    residentMiB: 160,
    drainMs: 150,
    startMs: 10_000,
    readers: 2,
    prepareMs: 2_000,
    prepareWithinMs: 8_000,
  }
}
