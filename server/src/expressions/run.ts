import type { JsonValue } from '../base/json.ts'
import type { Meter } from './limits.ts'
import type { Value } from './value.ts'

/** What an expression can name. `metadata` is left out where it is not to be named. */
export interface Bindings {
  readonly data: JsonValue
  readonly metadata?: JsonValue
}

/** What filters take from outside. */
export interface Surroundings {
  readonly random: (bytes: number) => Uint8Array
  readonly nowMs: () => number
}

/** One evaluation of one template: all that changes while it runs. */
export class Run {
  readonly bindings: Bindings
  readonly surroundings: Surroundings
  readonly meter: Meter
  /** Assigned and loop variables; `undefined` where nothing was assigned yet. */
  readonly frame: (Value | undefined)[]
  #counters: Map<string, number> | undefined
  /** Where in the template we are, for messages. */
  at = 0
  out = ''

  constructor(bindings: Bindings, surroundings: Surroundings, meter: Meter, slots: number) {
    this.bindings = bindings
    this.surroundings = surroundings
    this.meter = meter
    this.frame = slots === 0 ? [] : new Array(slots)
  }

  write(text: string): void {
    this.meter.characters(text.length)
    this.meter.text(this.out.length + text.length)
    this.out += text
  }

  /** What `increment`, `cycle` and `offset: continue` remember, each under keys of its own. */
  counter(key: string): number | undefined {
    return this.#counters?.get(key)
  }

  setCounter(key: string, count: number): void {
    this.#counters ??= new Map()
    this.#counters.set(key, count)
  }
}

/** A part of a template that gives a value. */
export type Evaluate = (run: Run) => Value

/** How a part of a template ended: `break` and `continue` leave the blocks around them. */
export type Signal = 'break' | 'continue' | undefined

/** A part of a template that writes, assigns or decides. */
export type Node = (run: Run) => Signal
