import { Admission, type Bounds, type Party } from '../../base/flow/admission.ts'
import { FairQueue } from '../../base/flow/fair-queue.ts'
import type { Invocation } from '../sandbox.ts'
import type { SandboxLimits } from '../sandbox-limits.ts'

interface SchedulerOptions {
  readonly limits: SandboxLimits
  readonly memory: MemoryShare
  /** False while a tenant must wait for its next process. */
  readonly mayHaveProcess: (tenant: string) => boolean
}

/** An invocation and who it is for. */
type Admitted = ProcessShare & Pick<Party, 'application' | 'session'>

/** The queue of one lane and depth. */
interface Line {
  readonly lane: ProcessShare['lane']
  readonly depth: number
  readonly queue: FairQueue
  /** Waiting invocations, and the bytes of their input. */
  readonly waiting: Admission
  readonly input: Admission
}

/** The state of one kind of admitted work, of all lines. */
interface Counts {
  readonly total: number
  readonly limit: number
  readonly refused: Readonly<Record<string, number>>
}

/**
 * Decides when an invocation may have a process. Each lane and depth has its own slots, so that an invocation never
 * waits for the slot of an invocation that waits for it. All share the memory.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #lines = new Map<string, Line>()

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  /**
   * Registers a waiting invocation.
   * @param bytes the size of its input
   * @returns a function to call when it no longer waits, or `undefined` if too many invocations are waiting
   */
  wait(invocation: Admitted, bytes: number): (() => void) | undefined {
    const { waiting, input } = this.#line(invocation)
    const leave = waiting.take(invocation)
    const release = leave && input.take(invocation, bytes)
    if (!release) {
      leave?.()
      return undefined
    }
    return () => {
      leave()
      release()
    }
  }

  /** Calls `start` when a slot is free and there is memory for a process. @returns a function that stops waiting */
  enter(invocation: Admitted, start: (release: () => void) => void): () => void {
    const { memory } = this.#options
    return this.#line(invocation).queue.enter(invocation, release => {
      memory.take(invocation)
      let isHeld = true
      start(() => {
        if (!isHeld) return
        isHeld = false
        memory.give(invocation)
        release()
        this.next()
      })
    })
  }

  /** The number of waiting invocations, by lane. */
  waiting(): Record<ProcessShare['lane'], number> {
    const waiting = { sync: 0, async: 0 }
    for (const line of this.#lines.values()) waiting[line.lane] += line.waiting.total
    return waiting
  }

  /** What is admitted, by kind. The limit is that of one line. */
  admitted(): readonly (readonly [kind: string, counts: Counts])[] {
    const { limits } = this.#options
    const lines = [...this.#lines.values()]
    return [
      [
        'formulas',
        sum(
          limits.waiting,
          lines.map(line => line.waiting),
        ),
      ],
      [
        'formulaBytes',
        sum(
          limits.waitingBytes,
          lines.map(line => line.input),
        ),
      ],
    ]
  }

  /** Starts all invocations that may start now, deeper levels first because others wait for them. */
  next(): void {
    const lines = [...this.#lines.values()].sort((a, b) => b.depth - a.depth)
    for (const { queue } of lines) queue.next()
  }

  #line(place: ProcessShare): Line {
    const { lane, depth } = place
    const key = `${lane} ${depth}`
    const { limits, memory, mayHaveProcess } = this.#options
    const line = this.#lines.get(key) ?? {
      lane,
      depth,
      queue: new FairQueue(
        new Admission(limits.running),
        tenant => memory.allows({ tenant, lane, depth }) && mayHaveProcess(tenant),
      ),
      waiting: new Admission(limits.waiting),
      input: new Admission(limits.waitingBytes),
    }
    this.#lines.set(key, line)
    return line
  }
}

function sum({ total: limit = Number.POSITIVE_INFINITY }: Bounds, admissions: readonly Admission[]): Counts {
  const refused: Record<string, number> = {}
  for (const admission of admissions) {
    for (const [scope, count] of Object.entries(admission.refused))
      refused[scope] = (refused[scope] ?? 0) + count
  }
  return { limit, total: admissions.reduce((total, one) => total + one.total, 0), refused }
}

/** The properties of an invocation that decide its share. */
export type ProcessShare = Pick<Invocation, 'tenant' | 'lane' | 'depth'>

/**
 * Divides the processes that the memory allows among tenants, lanes and depths. To prevent deadlocks, an invocation
 * starts only if one more at each deeper level could still start. A tenant and async work get at most half, and
 * sync work leaves one.
 */
export class MemoryShare {
  readonly #processes: number
  readonly #depth: number
  readonly #held = new Map<string, number>()

  /** @param processes that may be busy at once; at least `depth` + 2 */
  constructor({ processes, depth }: { readonly processes: number; readonly depth: number }) {
    this.#processes = Math.max(processes, depth + 2)
    this.#depth = depth
  }

  allows({ tenant, lane, depth }: ProcessShare): boolean {
    const kept = this.#depth - depth
    const atTop = this.#processes - this.#depth
    const ofTenant = Math.max(this.#depth + 1, Math.floor(this.#processes / 2))
    const ofLane = (lane === 'async' ? Math.floor(atTop / 2) : atTop - 1) + depth
    return (
      this.#count('all') + kept < this.#processes &&
      this.#count(`tenant ${tenant}`) + kept < ofTenant &&
      this.#count(`lane ${lane}`) < ofLane
    )
  }

  take(place: ProcessShare): void {
    for (const key of keysOf(place)) this.#held.set(key, this.#count(key) + 1)
  }

  give(place: ProcessShare): void {
    for (const key of keysOf(place)) {
      const left = this.#count(key) - 1
      if (left > 0) this.#held.set(key, left)
      else this.#held.delete(key)
    }
  }

  #count(key: string): number {
    return this.#held.get(key) ?? 0
  }
}

function keysOf({ tenant, lane }: ProcessShare): readonly string[] {
  return ['all', `tenant ${tenant}`, `lane ${lane}`]
}
