import type { expressionLimits, LimitsLike } from '../base/limits.ts'
import { ExpressionError } from './expression-error.ts'

export type ExpressionLimits = LimitsLike<typeof expressionLimits>

/** Work on text and lists is charged by size, so that a step never takes more than about a microsecond. */
const charactersPerStep = 256
const elementsPerStep = 16
/** Allowances grow with the data, so that simple expressions work on the largest data that can be stored. */
const stepsPerCharacterOfData = 1 / 32
const msPerCharacterOfData = 100 / 2 ** 20
/** Cheap expressions never read the clock, so that a pause of the process cannot fail them. */
const stepsBeforeClock = 1_000
const stepsBetweenLooks = 256
/**
 * Upper bound on the time charged between two clock reads. Anything longer means the process was descheduled, and
 * is not charged.
 */
const mostMsBetweenLooks = 5

/**
 * Counts the cost of one expression, or of several that share their limits, and throws when a limit is exceeded.
 * Steps decide: the same template on the same data ends at the same step on any machine. The clock is a second
 * limit, for slow machines.
 */
export class Meter {
  readonly #limits: ExpressionLimits
  readonly #dataSize: () => number
  readonly #monotonicMs: () => number
  #taken = 0
  #most: number
  #lookAbove: number
  #textLimit: number
  #timeMs: number
  #usedMs = 0
  #lookedMs: number | undefined
  #extended = false
  #spent = false

  constructor(limits: ExpressionLimits, dataSize: () => number, monotonicMs: () => number) {
    this.#limits = limits
    this.#dataSize = dataSize
    this.#monotonicMs = monotonicMs
    this.#most = limits.steps
    this.#lookAbove = Math.min(stepsBeforeClock, limits.steps)
    this.#textLimit = limits.textLength
    this.#timeMs = limits.timeMs
  }

  get steps(): number {
    return this.#taken
  }

  /** True if steps or time are used up: other expressions that share this meter need not start. */
  get isSpent(): boolean {
    return this.#spent
  }

  get rangeLength(): number {
    return this.#limits.rangeLength
  }

  /** The longest text allowed before `extend` is called. */
  get textLimit(): number {
    return this.#textLimit
  }

  step(count = 1): void {
    this.#taken += count
    if (this.#taken > this.#lookAbove) this.#look()
  }

  characters(count: number): void {
    this.step(count / charactersPerStep)
  }

  elements(count: number): void {
    this.step(count / elementsPerStep)
  }

  /** Throws if a text of this length is too long. */
  text(length: number): void {
    if (length <= this.#textLimit || (this.extend() && length <= this.#textLimit)) return
    throw new ExpressionError('limit', `produces more than ${this.#limits.textLength} characters of text`)
  }

  /** Charges a result of an expression: all results of a tree share one allowance of text. */
  result(length: number): void {
    this.text(length)
    this.#textLimit -= length
  }

  /** Raises the limits, once, according to the size of the data. Called only when needed: sizing takes time. */
  extend(): boolean {
    if (this.#extended) return false
    this.#extended = true
    const size = this.#dataSize()
    this.#most += size * stepsPerCharacterOfData
    this.#textLimit += size
    this.#timeMs += size * msPerCharacterOfData
    return true
  }

  #look(): void {
    if (this.#taken > this.#most) this.extend()
    if (this.#taken > this.#most) this.#spend(`takes more than ${this.#limits.steps} steps`)
    this.#lookAbove = Math.min(this.#taken + stepsBetweenLooks, this.#most)
    const now = this.#monotonicMs()
    this.#usedMs += Math.min(now - (this.#lookedMs ?? now), mostMsBetweenLooks)
    this.#lookedMs = now
    if (this.#usedMs <= this.#timeMs) return
    if (this.extend() && this.#usedMs <= this.#timeMs) return
    this.#spend(`takes longer than ${this.#limits.timeMs} ms`)
  }

  #spend(problem: string): never {
    this.#spent = true
    throw new ExpressionError('limit', problem)
  }
}

/** What charges its work to a meter. */
export interface Metered {
  readonly meter: Meter
}
