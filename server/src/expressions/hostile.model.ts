import type { JsonValue } from '../base/json/json.ts'

/**
 * A template made to exhaust time, memory or the stack. `control` has the same form in a harmless size: it shows
 * that the size is refused, and not an error in the template.
 */
interface Hostile {
  readonly template: string
  readonly data?: JsonValue
  /** The limit that it meets: that of steps, if no other is named. */
  readonly ends?: keyof typeof endings
  readonly control: readonly [template: string, data: JsonValue, text: string]
}

/** By what is hostile about each. */
export type HostileCases = Readonly<Record<string, Hostile>>

/** The expected error messages. Clocks stand still in these tests, so each case ends at a counted limit. */
export const endings = {
  steps: /^takes \d+ steps or more; \d+ are allowed on this data$/,
  text: /^produces more than 65536 characters of text$/,
  range: /^a range has more than 10000 numbers$/,
  nesting: /nested too deeply$/,
  operands: /^more than 200 operands and operators/,
  number: /finite number|too large/,
  width: /^date pads to at most/,
  unclosed: /is not closed$/,
  unsupported: /is not supported: an expression cannot load other templates$/,
}

export const manyObjects = Array.from({ length: 50_000 }, (_, index) => ({ a: index, b: `x${index % 97}` }))
export const longText = 'a'.repeat(2 ** 20)
/** A loop of a thousand turns is within the limits; `body` makes it hostile. */
export const loop = (body: string, count = 1_000) => `{% for i in (1..${count}) %}${body}{% endfor %}`
