import { isJsonObject, type JsonValue } from '../../base/json/json.ts'

/** Charges one visited value. Throws if the limit is exceeded. */
type Spend = () => void

/** A step of a path: returns the values that it selects from one value. */
export type Step = (value: JsonValue, spend: Spend) => JsonValue[]

/** A condition on a value. */
export type Test = (value: JsonValue, spend: Spend) => boolean
/** One side of a comparison in a condition. */
export type Operand = (value: JsonValue, spend: Spend) => JsonValue | undefined

export function follow(root: JsonValue, steps: readonly Step[], spend: Spend): JsonValue[] {
  let values = [root]
  for (const step of steps) values = values.flatMap(value => step(value, spend))
  return values
}

export function memberStep(name: string): Step {
  return (value, spend) => {
    spend()
    return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []
  }
}

/** Negative indexes count from the end. */
export function indexStep(index: number): Step {
  return (value, spend) => {
    spend()
    const element = Array.isArray(value) ? value.at(index) : undefined
    return element === undefined ? [] : [element]
  }
}

export function sliceStep(start: number | undefined, end: number | undefined): Step {
  return (value, spend) => {
    const elements = Array.isArray(value) ? value.slice(start, end) : []
    for (let count = elements.length; count > 0; count--) spend()
    return elements
  }
}

export const children: Step = (value, spend) => {
  spend()
  if (typeof value !== 'object' || value === null) return []
  const values = Array.isArray(value) ? value : Object.values(value)
  for (let count = values.length; count > 0; count--) spend()
  return values
}

export function filterStep(test: Test): Step {
  return (value, spend) => children(value, spend).filter(child => test(child, spend))
}

/** Applies a step to the value itself and to all of its descendants. */
export function everywhere(step: Step): Step {
  return (value, spend) => {
    const found = step(value, spend)
    for (const child of children(value, spend)) {
      for (const value of everywhere(step)(child, spend)) found.push(value)
    }
    return found
  }
}

/** Compares two values. Only two numbers or two texts can be less or greater than each other. */
export function holds(operator: string, left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  const ordered =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string')
  if (!ordered) return false
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}
