import type { JsonObject, JsonValue } from './json.ts'

/**
 * Returns a copy of a JSON value with each leaf replaced. A leaf that becomes `undefined` is left out of its object or
 * list, so later elements of a list move up.
 *
 * @param replace gets a leaf and its path, which is valid only during the call
 * @param isLeaf by default true for everything but objects and lists
 */
export function mapLeaves(
  json: JsonValue,
  replace: (leaf: JsonValue, path: readonly (string | number)[]) => JsonValue | undefined,
  isLeaf: (value: JsonValue) => boolean = value => typeof value !== 'object' || value === null,
): JsonValue | undefined {
  const path: (string | number)[] = []
  const below = (step: string | number, value: JsonValue) => {
    path.push(step)
    const mapped = map(value)
    path.pop()
    return mapped
  }
  const map = (value: JsonValue): JsonValue | undefined => {
    if (isLeaf(value)) return replace(value, path)
    if (Array.isArray(value)) {
      return value.map((element, index) => below(index, element)).filter(one => one !== undefined)
    }
    const members: [string, JsonValue][] = []
    for (const [name, one] of Object.entries(value as JsonObject)) {
      const mapped = below(name, one)
      if (mapped !== undefined) members.push([name, mapped])
    }
    // Defines members instead of assigning them, so `__proto__` is an ordinary member.
    return Object.fromEntries(members)
  }
  return map(json)
}

/**
 * Changes each member of an object, or each item of a list. Returns the value itself if none has changed: a large body
 * is not copied.
 */
export function mapMembers(
  value: JsonObject | JsonValue[],
  change: (member: JsonValue, name: string | number) => JsonValue,
): JsonValue {
  let copy: Record<string | number, JsonValue> | undefined
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  const members = value as Record<string | number, JsonValue>
  for (const name of names) {
    const member = members[name] as JsonValue
    const changed = change(member, name)
    if (changed === member) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as typeof members
    copy[name] = changed
  }
  return (copy as JsonValue | undefined) ?? value
}
