import type { JsonValue } from '../base/json/json.ts'
import type { expressionLimits, LimitsLike } from '../base/limits.ts'
import { ExpressionError } from './expression-error.ts'

export type ExpressionLimits = LimitsLike<typeof expressionLimits>

/** Work on text and lists is charged by size, so that a step never takes more than about a microsecond. */
const charactersPerStep = 256
const elementsPerStep = 16
/** Allowances grow with the data, so that simple expressions work on the largest data that can be stored. */
const stepsPerCharacterOfData = 1 / 20

/** Values with the lengths of their JSON. */
type Sizes = readonly (readonly [value: JsonValue, length: number])[]

/**
 * Counts the cost of one expression, or of several that share their limits, and throws when a limit is exceeded. Nothing is
 * timed: the same template on the same data ends at the same step on any machine.
 */
// Requirements: EXP-503
export class Meter {
  readonly #limits: ExpressionLimits
  readonly #sizeData: () => Sizes
  #taken = 0
  #most: number
  #textLimit: number
  #results = 0
  /** Of the data, once they were needed. */
  #sizes: ReadonlyMap<JsonValue, number> | undefined
  #spent = false

  constructor(limits: ExpressionLimits, sizeData: () => Sizes) {
    this.#limits = limits
    this.#sizeData = sizeData
    this.#most = limits.steps
    this.#textLimit = limits.textLength
  }

  get steps(): number {
    return this.#taken
  }

  /** The characters of all results. */
  get results(): number {
    return this.#results
  }

  /** True if the steps are used up: other expressions that share this meter need not start. */
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

  /** Returns the size of a value if it is all of the data, and was sized before. */
  sizeOf(value: JsonValue): number | undefined {
    return this.#sizes?.get(value)
  }

  step(count = 1): void {
    this.#taken += count
    if (this.#taken <= this.#most || (this.extend() && this.#taken <= this.#most)) return
    this.#spent = true
    const [taken, most] = [Math.ceil(this.#taken), Math.floor(this.#most)]
    throw new ExpressionError('limit', `takes ${taken} steps or more; ${most} are allowed on this data`)
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
    this.#results += length
  }

  /** Raises the limits, once, according to the size of the data. Called only when needed: sizing takes time. */
  extend(): boolean {
    if (this.#sizes) return false
    const sizes = this.#sizeData()
    this.#sizes = new Map(sizes)
    const size = sizes.reduce((sum, [, one]) => sum + one, 0)
    this.#most += size * stepsPerCharacterOfData
    this.#textLimit += size
    return true
  }
}

/** What charges its work to a meter. */
export interface Metered {
  readonly meter: Meter
}
