import type { Liquid, Context as LiquidContext } from 'liquidjs'
import type { JsonValue } from '../base/json/json.ts'
import { ExpressionError } from './expression-error.ts'
import { Context, Drop } from './liquid/liquidjs.ts'
import type { Meter } from './meter.ts'
import { member, toText } from './text.ts'
import { toJson } from './value.ts'

/** The variables of an expression. Without `metadata`, expressions cannot use it. */
export interface Bindings {
  readonly data: JsonValue
  readonly metadata?: JsonValue
}

/** The dependencies of filters. */
export interface Sources {
  readonly random: (bytes: number) => Uint8Array
  readonly nowMs: () => number
}

/** The state of one evaluation of one template. liquidjs charges what it does and copies to our meter. */
export class Run extends Context {
  readonly sources: Sources
  readonly meter: Meter
  /** The text that the template has written so far. */
  buffer = ''
  #isVariable = false

  constructor(language: Liquid, bindings: Bindings, sources: Sources, meter: Meter) {
    super(bindings, language.options, { sync: true }, limitsOf(meter, language))
    this.sources = sources
    this.meter = meter
  }

  override _get(path: Parameters<LiquidContext['_get']>[0]) {
    this.#isVariable = true
    return super._get(path)
  }

  /** Reads a variable, or a member of a value. */
  override readProperty(owner: object, key: unknown): unknown {
    if (this.#isVariable) this.#isVariable = false
    else this.meter.step()
    if (owner instanceof Drop) return loopMember(owner, key)
    if (owner === this.globals && key === 'metadata') {
      throw new ExpressionError('value', 'metadata is not available here, only data')
    }
    return member(owner as JsonValue, toJson(key), this)
  }

  write(value: unknown): void {
    const text = toText(toJson(value), this)
    this.meter.characters(text.length)
    this.meter.text(this.buffer.length + text.length)
    this.buffer += text
  }
}

type Limits = NonNullable<ConstructorParameters<typeof LiquidContext>[3]>

function limitsOf(meter: Meter, liquid: Liquid): Limits {
  const memoryLimit = {
    use: (characters: number) => {
      if (!(characters > 0)) return
      meter.text(characters)
      meter.characters(characters)
    },
  }
  // liquidjs checks the time before it runs a tag, an output or a text.
  const renderLimit = { check: () => meter.step() }
  return { memoryLimit, renderLimit, liquid } as unknown as Limits
}

const loopMembers = new Set<unknown>(['length', 'index', 'index0', 'rindex', 'rindex0', 'first', 'last'])

/** Returns a member of `forloop`; its other members are those of a JavaScript object. */
function loopMember(loop: object, name: unknown): unknown {
  const value: unknown = loopMembers.has(name) ? Reflect.get(loop, name as string) : null
  return typeof value === 'function' ? value.call(loop) : value
}
