import type { SandboxLimits } from './limits.ts'

/** A task that waits for a slot. */
interface Waiting {
  readonly tenant: string
  readonly start: () => void
}

/** Releases a slot. */
export type Release = () => void

/**
 * Semaphore that gives slots to tenants in round-robin order and limits the slots of one tenant. The number of
 * waiting tasks is not limited here.
 */
export class FairQueue {
  readonly #limits: Pick<SandboxLimits, 'slots' | 'slotsPerTenant'>
  readonly #mayStart: (tenant: string) => boolean
  readonly #held = new Map<string, number>()
  /** In round-robin order. */
  readonly #waiting = new Map<string, Waiting[]>()
  #inUse = 0
  #queued = 0

  /** @param mayStart a further condition for starting a task of this tenant; call `next` when it may have changed */
  constructor(
    limits: Pick<SandboxLimits, 'slots' | 'slotsPerTenant'>,
    mayStart: (tenant: string) => boolean = () => true,
  ) {
    this.#limits = limits
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
    return (
      this.#inUse < this.#limits.slots &&
      (this.#held.get(tenant) ?? 0) < this.#limits.slotsPerTenant &&
      this.#mayStart(tenant)
    )
  }

  #take(tenant: string): Release {
    this.#inUse++
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#inUse--
      const left = (this.#held.get(tenant) ?? 1) - 1
      if (left === 0) this.#held.delete(tenant)
      else this.#held.set(tenant, left)
      this.next()
    }
  }

  #startNext(): boolean {
    for (const [tenant, queue] of this.#waiting) {
      if (this.#inUse >= this.#limits.slots) return false
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
