import type { JsonValue } from '../../base/json/json.ts'

/** Returns the texts and numbers in a value, as texts. */
export function* leavesOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* leavesOf(child)
  }
}
