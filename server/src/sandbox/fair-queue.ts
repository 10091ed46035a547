import { type Release, type SlotLimits, Slots } from '../base/slots.ts'

/** A task that waits for a slot. */
interface Waiting {
  readonly tenant: string
  readonly start: () => void
}

/**
 * Semaphore that gives slots to tenants in round-robin order and limits the slots of one tenant. The number of
 * waiting tasks is not limited here.
 */
export class FairQueue {
  readonly #slots: Slots
  readonly #mayStart: (tenant: string) => boolean
  /** In round-robin order. */
  readonly #waiting = new Map<string, Waiting[]>()
  #queued = 0

  /** @param mayStart a further condition for starting a task of this tenant; call `next` when it may have changed */
  constructor(limits: SlotLimits, mayStart: (tenant: string) => boolean = () => true) {
    this.#slots = new Slots(limits)
    this.#mayStart = mayStart
  }

  get queued(): number {
    return this.#queued
  }

  /**
   * Calls `start` as soon as a slot is free, synchronously if one is free now.
   * @returns a function that stops waiting
   */
  enter(tenant: string, start: (release: Release) => void): () => void {
    const queue = this.#waiting.get(tenant) ?? []
    const begin = () => start(this.#take(tenant))
    if (queue.length === 0 && this.#mayTake(tenant)) {
      begin()
      return () => {}
    }
    const waiting: Waiting = { tenant, start: begin }
    queue.push(waiting)
    this.#waiting.set(tenant, queue)
    this.#queued++
    return () => this.#giveUp(waiting)
  }

  /** Starts all tasks that may start now. */
  next(): void {
    while (this.#startNext()) {}
  }

  #mayTake(tenant: string): boolean {
    return this.#slots.isFree(tenant) && this.#mayStart(tenant)
  }

  #take(tenant: string): Release {
    const release = this.#slots.take(tenant)
    return () => {
      release()
      this.next()
    }
  }

  #startNext(): boolean {
    for (const [tenant, queue] of this.#waiting) {
      if (this.#slots.isFull) return false
      if (!this.#mayTake(tenant)) continue
      const first = queue.shift()
      // The tenant goes to the end of the order.
      this.#waiting.delete(tenant)
      if (queue.length > 0) this.#waiting.set(tenant, queue)
      if (!first) continue
      this.#queued--
      first.start()
      return true
    }
    return false
  }

  #giveUp(waiting: Waiting): void {
    const queue = this.#waiting.get(waiting.tenant)
    const at = queue?.indexOf(waiting) ?? -1
    if (!queue || at === -1) return
    queue.splice(at, 1)
    this.#queued--
    if (queue.length === 0) this.#waiting.delete(waiting.tenant)
  }
}
