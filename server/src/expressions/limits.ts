import { ExpressionError } from './expression-error.ts'

/** What an expression may cost. README.md says what each is for. */
export interface ExpressionLimits {
  readonly templateLength: number
  readonly nesting: number
  readonly operands: number
  readonly steps: number
  readonly textLength: number
  readonly rangeLength: number
  readonly timeMs: number
  readonly treeExpressions: number
  readonly cachedTemplates: number
  readonly cachedLength: number
}

export const defaultLimits: ExpressionLimits = {
  templateLength: 10_000,
  nesting: 32,
  operands: 200,
  steps: 20_000,
  textLength: 65_536,
  rangeLength: 10_000,
  timeMs: 50,
  treeExpressions: 1_000,
  cachedTemplates: 2_000,
  cachedLength: 262_144,
}

/** Work on text and lists is charged by size, so that a step is never more than about a microsecond. */
const charactersPerStep = 256
const elementsPerStep = 16
/** The defaults must hold for any data that could be stored: larger data pays for its own handling. */
const stepsPerCharacterOfData = 1 / 32
const msPerCharacterOfData = 100 / 2 ** 20
/** Cheap expressions never look at the clock: a pause of the process must not fail a read of 20 steps. */
const stepsBeforeClock = 1_000
const stepsBetweenLooks = 256
/** Many times what so many steps take: what is beyond it the process was kept waiting, and that is not their time. */
const mostMsBetweenLooks = 5

/**
 * What one expression, or one tree of them, has used up. Steps are counted, so the same template on the same
 * data ends at the same place on any machine; the clock is a second fence, for machines that are slow.
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

  /** How many steps were taken. */
  get steps(): number {
    return this.#taken
  }

  /** Whether steps or time are used up: whatever else shares this meter need not begin. */
  get isSpent(): boolean {
    return this.#spent
  }

  get rangeLength(): number {
    return this.#limits.rangeLength
  }

  /** The longest text that may still be made without asking for more. */
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

  /** Refuses a text of this length before or after it is made. */
  text(length: number): void {
    if (length <= this.#textLimit || (this.extend() && length <= this.#textLimit)) return
    throw new ExpressionError('limit', `makes more than ${this.#limits.textLength} characters of text`)
  }

  /** A result that leaves the expression: in a tree the results share one allowance. */
  result(length: number): void {
    this.text(length)
    this.#textLimit -= length
  }

  /** Adds, once, what the size of the data allows. Sizing it costs time, so only who needs it asks. */
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
