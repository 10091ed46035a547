import { isJsonObject, type JsonValue } from '../base/json.ts'

/** Of a list: more than any list of the contract may have. */
const mostItems = 101
/** Of a list within another, which there may be a hundred of. */
const mostInnerItems = 26
/** Of an object, besides members that the contract names somewhere. */
const mostMembers = 101
/** Of a text: more than any text may have, even if each character takes two UTF-16 units. */
const longestText = 100_002

export interface Excerpt {
  readonly value: JsonValue
  /** Lists or objects were shortened. */
  readonly isCut: boolean
}

/**
 * As much of a request as is worth naming all errors of: validators that collect every error take time and
 * memory for each, and a megabyte holds a hundred thousand. Whatever breaks a rule of size in the whole breaks it
 * in the excerpt, and no member is missing that a schema may require, so the excerpt has no error that the whole
 * does not have.
 *
 * @param named every name of a member that the contract knows
 */
export function excerptOf(whole: JsonValue, named: ReadonlySet<string>): Excerpt {
  let isCut = false
  const cut = (value: JsonValue, items: number): JsonValue => {
    if (typeof value === 'string') return value.slice(0, longestText)
    if (Array.isArray(value)) {
      isCut ||= value.length > items
      return value.slice(0, items).map(item => cut(item, mostInnerItems))
    }
    if (!isJsonObject(value)) return value
    let others = 0
    const names = Object.keys(value).filter(name => named.has(name) || others++ < mostMembers)
    isCut ||= others > mostMembers
    return Object.fromEntries(names.map(name => [name, cut(value[name] ?? null, items)]))
  }
  const value = cut(whole, mostItems)
  return { value, isCut }
}

/** Every name of a member that a document's schemas have. */
export function namesIn(document: JsonValue, names = new Set<string>()): Set<string> {
  if (typeof document !== 'object' || document === null) return names
  const { properties } = document as { properties?: JsonValue }
  if (isJsonObject(properties ?? null)) for (const name of Object.keys(properties as object)) names.add(name)
  for (const child of Object.values(document)) namesIn(child, names)
  return names
}
