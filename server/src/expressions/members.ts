import type { JsonObject } from '../base/json/json.ts'
import type { Run } from './run.ts'
import { countCharacters } from './text.ts'
import type { Value } from './value.ts'

/** Returns `value.name` or `value[name]`. Only members of the JSON itself can be read; all else is null. */
export function member(value: Value, name: Value, run: Run): Value {
  if (Array.isArray(value)) {
    if (typeof name === 'number') return value.at(name) ?? null
    if (name === 'size') return value.length
    if (name === 'first') return value[0] ?? null
    return name === 'last' ? (value.at(-1) ?? null) : null
  }
  if (typeof value === 'string') return name === 'size' ? countCharacters(value, run) : null
  if (typeof value !== 'object' || value === null) return null
  if (typeof name !== 'string' && typeof name !== 'number') return null
  if (Object.hasOwn(value, name)) return value[name] ?? null
  return name === 'size' ? countMembers(value, run) : null
}

/** Counts the members of an object. Charged per member: listing the names of a large object is slow. */
export function countMembers(object: JsonObject, run: Run): number {
  const { length } = Object.keys(object)
  run.meter.step(length)
  return length
}
