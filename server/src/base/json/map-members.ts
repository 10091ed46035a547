import type { JsonObject, JsonValue } from './json.ts'

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
