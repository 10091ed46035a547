import { monotonicMs, nextTick, setImmediate } from '../time/real-time.ts'
import { callerDisconnected, type Principal, refuseIfGone } from './principal.ts'
import { RoundRobin } from './round-robin.ts'

/**
 * The time that long work may take in one iteration of the event loop, in real milliseconds. With 5, creates of 64 clients
 * wait so often that they take 16 % more of the processor.
 */
const sliceMs = 10

/** Lets others go first if it is their turn. Returns a promise only if there is something to wait for. */
export type Pass = () => undefined | Promise<void>

/** Runs a generator to its end, and lets others go first whenever it yields. */
export async function inTurns<Result>(steps: Generator<void, Result>, pass: Pass): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const passing = pass()
    if (passing) await passing
  }
}

interface Waiting {
  readonly principal: Principal
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * Turns of long work on the event loop. All of it together may take `sliceMs` in an iteration. Work calls `pass` between
 * its parts, each of which should take at most 2 ms: when the time of the iteration is used up, it waits until it is its
 * turn again, in round-robin order by tenant, application and session.
 */
export class Turns {
  readonly #nowMs: () => number
  readonly #waiting = new RoundRobin<Waiting>()
  /** When the present iteration began; `undefined` before the first work of it. */
  #beganMs: number | undefined
  /** Whose turn it is, while others wait. */
  #holder: Principal | undefined
  #hasConnected = false
  /** Until when work rests at most; `undefined` while it does not. */
  #restsUntilMs: number | undefined

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
  }

  /**
   * Returns a promise to await if others go first. Awaiting nothing would cost a microtask each time.
   * @throws {ServiceError} if the caller is gone; the promise may reject with it, too
   */
  pass(principal: Principal): undefined | Promise<void> {
    refuseIfGone(principal)
    if (this.#beganMs === undefined) this.#begin()
    const isNext = this.#waiting.size === 0 || principal === this.#holder
    if (isNext && this.#hasTime()) return undefined
    return new Promise((resolve, reject) => this.#waiting.add(principal, { principal, resolve, reject }))
  }

  /**
   * To be called for each new connection. The event loop accepts one of them in an iteration: behind 70, another one would
   * wait for 70 slices. So work rests until there are no more, or for the time of a slice.
   */
  connected(): void {
    this.#hasConnected = true
  }

  #begin(): void {
    this.#beganMs = this.#nowMs()
    setImmediate(() => this.#end())
  }

  #hasTime(): boolean {
    return this.#nowMs() - (this.#beganMs ?? 0) <= sliceMs
  }

  /** Ends an iteration, and begins the next one if anybody waits. */
  #end(): void {
    this.#beganMs = undefined
    this.#holder = undefined
    if (this.#waiting.size === 0) return
    this.#begin()
    if (!this.#rests()) this.#grant()
  }

  #rests(): boolean {
    const nowMs = this.#nowMs()
    if (this.#hasConnected) this.#restsUntilMs ??= nowMs + sliceMs
    else this.#restsUntilMs = undefined
    this.#hasConnected = false
    if (this.#restsUntilMs !== undefined && nowMs < this.#restsUntilMs) return true
    this.#restsUntilMs = undefined
    return false
  }

  /** Lets the next go on, and after it, when it pauses or is done, others while there is time. */
  #grant(): void {
    const next = this.#waiting.next()
    this.#holder = next?.principal
    if (!next) return
    if (next.principal.request?.isGone) next.reject(callerDisconnected())
    else next.resolve()
    // A tick that a microtask asks for comes after all microtasks, among them those of the work that goes on now.
    queueMicrotask(() =>
      nextTick(() => {
        if (this.#hasTime()) this.#grant()
      }),
    )
  }
}
