import { FairQueue, type FairQueueLimits, type Release } from './fair-queue.ts'
import type { MemoryShare, Place } from './memory-share.ts'
import { WaitingRoom, type WaitingRoomLimits } from './waiting-room.ts'

export interface AdmissionOptions {
  readonly limits: FairQueueLimits & WaitingRoomLimits
  readonly memory: MemoryShare
  /** False while a tenant has to wait for its next process. */
  readonly mayHaveProcess: (tenant: string) => boolean
}

/** The queue of one lane and depth, and how much may wait there. */
interface Line {
  readonly depth: number
  readonly queue: FairQueue
  readonly room: WaitingRoom
}

/**
 * Decides when an invocation may have a process. Each lane and depth has slots of its own, so an invocation never
 * waits for the slot of one that waits for it; all share the memory.
 */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #lines = new Map<string, Line>()

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /**
   * A place to wait in, for whatever the invocation has to wait for.
   * @param bytes what it holds meanwhile
   * @returns a function to call when it waits no more, or `undefined` if too much waits already
   */
  wait(place: Place, bytes: number): (() => void) | undefined {
    return this.#line(place).room.enter(place.tenant, bytes)
  }

  /** Calls `start` when there is a slot and the memory for a process. @returns a function that gives up waiting */
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

  /** Starts what may start now: what others wait for first. */
  next(): void {
    const lines = [...this.#lines.values()].sort((a, b) => b.depth - a.depth)
    for (const { queue } of lines) queue.next()
  }

  #line(place: Place): Line {
    const { lane, depth } = place
    const key = `${lane} ${depth}`
    const { limits, memory, mayHaveProcess } = this.#options
    const line = this.#lines.get(key) ?? {
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
