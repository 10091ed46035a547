import type { JsonValue } from '../base/json/json.ts'
import { permissions, tokenTypes, transforms } from '../generated/facts.ts'

/** Values that the contract itself lists: they can be shown, as no caller has made them up. */
const listed = new Set<string>([
  ...Object.keys(tokenTypes),
  ...permissions,
  ...transforms,
  ...['public', 'private', 'management', 'string', 'number', 'boolean'],
])

export const mostMembers = 1000

/** A name of a member, and not a value that someone has put in its place. */
const plainName = /^[A-Za-z_][A-Za-z_]{0,39}$/

/**
 * Returns the shape of a value: each text and number is replaced by its type and length.
 * @param mark changes the shape that stands for a text, a number or a name
 */
export function redact(value: JsonValue, mark = (shape: string, _hidden: string) => shape): JsonValue {
  let members = 0
  const nameOf = (name: string) => (plainName.test(name) ? name : mark(`name(${name.length})`, name))
  const walk = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return listed.has(part) ? part : mark(`string(${part.length})`, part)
    if (typeof part === 'number') return mark(`number(${String(part).length})`, String(part))
    if (typeof part !== 'object' || part === null) return part
    const room = Math.max(0, mostMembers - members)
    if (Array.isArray(part)) {
      members += part.length
      return [...part.slice(0, room).map(walk), ...(part.length > room ? ['…'] : [])]
    }
    const entries = Object.entries(part)
    members += entries.length
    const shown = entries.slice(0, room).map(([name, item]) => [nameOf(name), walk(item)] as const)
    return Object.fromEntries(entries.length > room ? [...shown, ['…', '…']] : shown)
  }
  return walk(value)
}
