import type { Release } from '../base/slots.ts'
import { FairQueue } from './fair-queue.ts'
import type { SandboxLimits } from './limits.ts'
import type { MemoryShare, Place } from './memory-share.ts'
import { WaitingRoom } from './waiting-room.ts'

export interface AdmissionOptions {
  readonly limits: SandboxLimits
  readonly memory: MemoryShare
  /** False while a tenant must wait for its next process. */
  readonly mayHaveProcess: (tenant: string) => boolean
}

/** The queue of one lane and depth. */
interface Line {
  readonly lane: Place['lane']
  readonly depth: number
  readonly queue: FairQueue
  readonly room: WaitingRoom
}

/**
 * Decides when an invocation may have a process. Each lane and depth has its own slots, so that an invocation never
 * waits for the slot of an invocation that waits for it. All share the memory.
 */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #lines = new Map<string, Line>()

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /**
   * Registers a waiting invocation.
   * @param bytes the size of its input
   * @returns a function to call when it no longer waits, or `undefined` if too many invocations are waiting
   */
  wait(place: Place, bytes: number): (() => void) | undefined {
    return this.#line(place).room.enter(place.tenant, bytes)
  }

  /** Calls `start` when a slot is free and there is memory for a process. @returns a function that stops waiting */
  enter(place: Place, start: (release: Release) => void): () => void {
    const { memory } = this.#options
    return this.#line(place).queue.enter(place.tenant, release => {
      memory.take(place)
      let isHeld = true
      start(() => {
        if (!isHeld) return
        isHeld = false
        memory.give(place)
        release()
        this.next()
      })
    })
  }

  /** The number of waiting invocations, by lane. */
  waiting(): Record<Place['lane'], number> {
    const waiting = { sync: 0, async: 0 }
    for (const { lane, room } of this.#lines.values()) waiting[lane] += room.count
    return waiting
  }

  /** Starts all invocations that may start now, deeper levels first because others wait for them. */
  next(): void {
    const lines = [...this.#lines.values()].sort((a, b) => b.depth - a.depth)
    for (const { queue } of lines) queue.next()
  }

  #line(place: Place): Line {
    const { lane, depth } = place
    const key = `${lane} ${depth}`
    const { limits, memory, mayHaveProcess } = this.#options
    const line = this.#lines.get(key) ?? {
      lane,
      depth,
      queue: new FairQueue(
        limits,
        tenant => memory.allows({ tenant, lane, depth }) && mayHaveProcess(tenant),
      ),
      room: new WaitingRoom(limits),
    }
    this.#lines.set(key, line)
    return line
  }
}
