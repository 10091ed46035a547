import { type Admission, type Party, requesterOf } from './admission.ts'

/** Who waits; a tenant is always known. */
type Member = Party & { readonly tenant: string }

/** A task that waits for a slot. */
interface Waiting {
  readonly member: Member
  readonly start: () => void
}

/**
 * Semaphore that gives slots in round-robin order to those who wait: sessions, applications and tenants each have a
 * queue of their own, and a share of the slots. The number of waiting tasks is not limited here.
 */
export class FairQueue {
  readonly #admission: Admission
  readonly #mayStart: (tenant: string) => boolean
  /** In round-robin order. */
  readonly #waiting = new Map<string, Waiting[]>()

  /**
   * @param admission counts the tasks that run
   * @param mayStart a further condition for starting a task of this tenant; call `next` when it may have changed
   */
  constructor(admission: Admission, mayStart: (tenant: string) => boolean = () => true) {
    this.#admission = admission
    this.#mayStart = mayStart
  }

  /**
   * Calls `start` as soon as a slot is free, synchronously if one is free now.
   * @returns a function that stops waiting
   */
  enter(member: Member, start: (release: () => void) => void): () => void {
    const queue = this.#waiting.get(nameOf(member)) ?? []
    const begin = () => start(this.#take(member))
    if (queue.length === 0 && this.#mayTake(member)) {
      begin()
      return () => {}
    }
    const waiting: Waiting = { member, start: begin }
    queue.push(waiting)
    this.#waiting.set(nameOf(member), queue)
    return () => this.#giveUp(waiting)
  }

  /** Starts all tasks that may start now. */
  next(): void {
    while (this.#startNext()) {}
  }

  #mayTake(member: Member): boolean {
    return this.#admission.full(member) === undefined && this.#mayStart(member.tenant)
  }

  #take(member: Member): () => void {
    const release = this.#admission.admit(member)
    return () => {
      release()
      this.next()
    }
  }

  #startNext(): boolean {
    for (const [name, queue] of this.#waiting) {
      if (this.#admission.full({}) !== undefined) return false
      const [first] = queue
      if (!first || !this.#mayTake(first.member)) continue
      queue.shift()
      // The member goes to the end of the order.
      this.#waiting.delete(name)
      if (queue.length > 0) this.#waiting.set(name, queue)
      first.start()
      return true
    }
    return false
  }

  #giveUp(waiting: Waiting): void {
    const name = nameOf(waiting.member)
    const queue = this.#waiting.get(name)
    const at = queue?.indexOf(waiting) ?? -1
    if (!queue || at === -1) return
    queue.splice(at, 1)
    if (queue.length === 0) this.#waiting.delete(name)
  }
}

/** Ids are unique, so that no session has the name of an application. */
const nameOf = (member: Member) => requesterOf(member) ?? member.tenant
