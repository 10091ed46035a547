import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import type { Metered } from './meter.ts'
import { chargeSearch, countMembers, toText } from './text.ts'
import { blank, empty, isTruthy, toJson } from './value.ts'

/** True if the two are equal. Lists are compared by their elements, objects by identity. */
export function equals(left: unknown, right: unknown, run: Metered): boolean {
  if (left === empty || left === blank) return right !== empty && right !== blank && isEmpty(right, left, run)
  if (right === empty || right === blank) return isEmpty(left, right, run)
  return areEqual(toJson(left), toJson(right), run)
}

function areEqual(left: JsonValue, right: JsonValue, run: Metered): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) run.meter.characters(left.length)
    return left === right
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right
  if (left.length !== right.length) return false
  return left.every((element, index) => {
    run.meter.step()
    return areEqual(element, right[index] ?? null, run)
  })
}

function isEmpty(given: unknown, marker: unknown, run: Metered): boolean {
  const value = toJson(given)
  if (marker === blank && (value === null || value === false)) return true
  if (typeof value === 'string') {
    run.meter.characters(value.length)
    return (marker === blank ? value.trim() : value) === ''
  }
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && countMembers(value, run) === 0
}

/** Returns a negative number, 0 or a positive number; NaN for values without an order, such as a number and a list. */
export function compare(left: unknown, right: unknown, run: Metered): number {
  const [a, b] = [toJson(left), toJson(right)]
  if (typeof a === 'string' && typeof b === 'string') {
    run.meter.characters(Math.min(a.length, b.length))
    return a < b ? -1 : a > b ? 1 : 0
  }
  return toComparable(a) - toComparable(b)
}

function toComparable(value: JsonValue): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
  return typeof value === 'string' && value.length <= 400 ? Number(value) : Number.NaN
}

/** True if a text contains the item as a part, a list as an element, or an object as the name of a member. */
function contains(left: unknown, item: unknown, run: Metered): boolean {
  const container = toJson(left)
  if (Array.isArray(container)) {
    return container.some(element => {
      run.meter.step()
      return equals(element, item, run)
    })
  }
  const part = toJson(item)
  if (typeof container === 'string' && part !== null) {
    const pattern = toText(part, run)
    chargeSearch(container, pattern, run)
    return container.includes(pattern)
  }
  return typeof part === 'string' && isJsonObject(container) && Object.hasOwn(container, part)
}

type Operator = (left: unknown, right: unknown, run: Metered) => boolean

const truth = (value: unknown) => isTruthy(toJson(value))
const binary: Record<string, Operator> = {
  and: (left, right) => truth(left) && truth(right),
  or: (left, right) => truth(left) || truth(right),
  '==': equals,
  '!=': (left, right, run) => !equals(left, right, run),
  '<': (left, right, run) => compare(left, right, run) < 0,
  '>': (left, right, run) => compare(left, right, run) > 0,
  '<=': (left, right, run) => compare(left, right, run) <= 0,
  '>=': (left, right, run) => compare(left, right, run) >= 0,
  contains,
}

/** The operators of conditions, as liquidjs calls them. Each is a step. */
export const operators = {
  ...Object.fromEntries(Object.entries(binary).map(([name, decide]) => [name, counted(decide)])),
  not: (value: unknown, run: Metered) => {
    run.meter.step()
    return !truth(value)
  },
}

function counted(decide: Operator): Operator {
  return (left, right, run) => {
    run.meter.step()
    return decide(left, right, run)
  }
}
