import { availableParallelism } from 'node:os'

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
  /** Requests of `svc` and `fetch`: under way at once, in all, and the bytes of each body. */
  readonly calls: { readonly open: number; readonly total: number; readonly bodyBytes: number }
  /** What a formula may print; the rest is dropped. */
  readonly console: { readonly lines: number; readonly lineLength: number; readonly bytes: number }
  /** Frames and bytes one invocation may send, all kinds together. */
  readonly traffic: { readonly frames: number; readonly bytes: number }
  /** Timers that wait at once. */
  readonly timers: number
  /** Invocations at work at once, by lane and depth; and of one tenant among them. */
  readonly slots: number
  readonly slotsPerTenant: number
  /** Invocations that wait, by lane and depth; and of one tenant among them. */
  readonly queue: number
  readonly queuePerTenant: number
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
  /** Of reading code that holds words the sandbox looks for. */
  readonly prepareMs: number
}

/** The limits in force unless told otherwise. */
export function defaultLimits(cores: number = availableParallelism()): SandboxLimits {
  const slots = Math.max(8, 4 * cores)
  return {
    cpuMs: { sync: 5_000, async: 30_000 },
    outputBytes: 5 * 1024 * 1024,
    heapMiB: 96,
    dataMiB: 320,
    calls: { open: 20, total: 200, bodyBytes: 5 * 1024 * 1024 },
    console: { lines: 100, lineLength: 4_096, bytes: 64 * 1024 },
    traffic: { frames: 1_000, bytes: 64 * 1024 * 1024 },
    timers: 256,
    slots,
    slotsPerTenant: Math.max(1, slots / 2),
    // Each of them may hold arguments of 5 MB.
    queue: 512,
    queuePerTenant: 64,
    depth: 2,
    spares: 2,
    idle: slots,
    idleMs: 60_000,
    runsPerProcess: 1_000,
    residentMiB: 160,
    drainMs: 150,
    startMs: 10_000,
    prepareMs: 2_000,
  }
}
