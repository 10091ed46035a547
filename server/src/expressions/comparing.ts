import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { indexOf } from './find-text.ts'
import type { Run } from './run.ts'
import { countMembers, toText } from './text.ts'
import { blank, type empty, toJson, type Value } from './value.ts'

/** True if the two are equal. Lists are compared by their elements, objects by identity. */
export function equals(left: Value, right: Value, run: Run): boolean {
  if (typeof left === 'symbol') return typeof right !== 'symbol' && isEmpty(right, left, run)
  if (typeof right === 'symbol') return isEmpty(left, right, run)
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) run.meter.characters(left.length)
    return left === right
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right
  if (left.length !== right.length) return false
  return left.every((element, index) => {
    run.meter.step()
    return equals(element, right[index] ?? null, run)
  })
}

function isEmpty(value: JsonValue, marker: typeof empty | typeof blank, run: Run): boolean {
  if (marker === blank && (value === null || value === false)) return true
  if (typeof value === 'string') {
    run.meter.characters(value.length)
    return (marker === blank ? value.trim() : value) === ''
  }
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && countMembers(value, run) === 0
}

/** Returns a negative number, 0 or a positive number; NaN for values without an order, such as a number and a list. */
export function compare(left: Value, right: Value, run: Run): number {
  if (typeof left === 'string' && typeof right === 'string') {
    run.meter.characters(Math.min(left.length, right.length))
    return left < right ? -1 : left > right ? 1 : 0
  }
  return toComparable(left) - toComparable(right)
}

function toComparable(value: Value): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
  return typeof value === 'string' && value.length <= 400 ? Number(value) : Number.NaN
}

/** True if a text contains the item as a part, a list as an element, or an object as the name of a member. */
export function contains(container: Value, item: Value, run: Run): boolean {
  if (typeof container === 'string') {
    return item !== null && indexOf(container, toText(toJson(item), run), run) >= 0
  }
  if (Array.isArray(container)) {
    return container.some(element => {
      run.meter.step()
      return equals(element, item, run)
    })
  }
  return typeof item === 'string' && isJsonObject(container) && Object.hasOwn(container, item)
}
