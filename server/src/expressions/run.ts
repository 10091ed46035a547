import type { JsonValue } from '../base/json/json.ts'
import type { expressionLimits, LimitsLike } from '../base/limits.ts'
import { ExpressionError } from './expression-error.ts'
import type { Value } from './value.ts'

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

/** The variables of an expression. Without `metadata`, expressions cannot use it. */
export interface Bindings {
  readonly data: JsonValue
  readonly metadata?: JsonValue
}

/** The dependencies of filters. */
interface FilterContext {
  readonly random: (bytes: number) => Uint8Array
  readonly nowMs: () => number
}

/** The state of one evaluation of one template. */
export class Run {
  readonly bindings: Bindings
  readonly context: FilterContext
  readonly meter: Meter
  /** Assigned variables and loop variables; `undefined` until assigned. */
  readonly frame: (Value | undefined)[]
  #counters: Map<string, number> | undefined
  /** The current offset in the template, for error messages. */
  at = 0
  out = ''
  /** True if the last number was written with a decimal point, or made from one: as values, 7.0 and 7 are the same. */
  isDecimal = false
  #decimals: Set<number> | undefined

  constructor(bindings: Bindings, context: FilterContext, meter: Meter, slots: number) {
    this.bindings = bindings
    this.context = context
    this.meter = meter
    this.frame = slots === 0 ? [] : new Array(slots)
  }

  write(text: string): void {
    this.meter.characters(text.length)
    this.meter.text(this.out.length + text.length)
    this.out += text
  }

  /** Notes if the number in a variable is a decimal. */
  keepDecimal(slot: number): void {
    if (this.isDecimal) this.#decimals = (this.#decimals ?? new Set()).add(slot)
    else this.#decimals?.delete(slot)
  }

  wasDecimal(slot: number): boolean {
    return this.#decimals?.has(slot) ?? false
  }

  /** The counters of `increment`, `cycle` and `offset: continue`; each uses its own keys. */
  counter(key: string): number | undefined {
    return this.#counters?.get(key)
  }

  setCounter(key: string, count: number): void {
    this.#counters ??= new Map()
    this.#counters.set(key, count)
  }
}

/** A compiled part of a template that returns a value. */
export type Evaluate = (run: Run) => Value

/** Set if a part of a template ended early: `break` and `continue` also end the blocks that enclose them. */
type Signal = 'break' | 'continue' | undefined

/** A compiled part of a template that writes, assigns or branches. */
export type Node = (run: Run) => Signal
