/** Functions for the adapter of a client: the members of objects in another spelling. */
const snake = (name: string) =>
  name.replace(/[A-Z]/g, (letter, at: number) => (at > 0 ? '_' : '') + letter.toLowerCase())
const camel = (name: string) =>
  name.replace(/(?<=\w)_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())

/** Members whose content belongs to the caller. */
const contents = ['data', 'metadata', 'args', 'configuration', 'raw']
const deepest = 64

function respell(
  value: unknown,
  name: (given: string) => string,
  except: readonly string[],
  depth = 0,
): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) return value.map(item => respell(item, name, except, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const members = Object.entries(value).map(([given, member]) => {
    const kept = except.includes(given) ? member : respell(member, name, except, depth + 1)
    return [name(given), kept] as const
  })
  return Object.fromEntries(members)
}

export const spelling = {
  /** Returns a copy whose members are written like `deduplicateToken`. @param except members whose content stays */
  camelCase: (value: unknown, except: readonly string[] = contents) => respell(value, camel, except),
  /** Returns a copy whose members are written like `deduplicate_token`. */
  snakeCase: (value: unknown, except: readonly string[] = contents) => respell(value, snake, except),
}
