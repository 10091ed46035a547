import type { JsonValue } from '../base/json/json.ts'
import type { Meter } from './limits.ts'
import type { Value } from './value.ts'

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
