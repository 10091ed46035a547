import { isJsonObject, type JsonValue } from '../base/json/json.ts'

/** Items kept of a list: more than any list of the contract may have. */
const mostItems = 101
/** Items kept of a list inside a list: more than any such list may have. */
const mostInnerItems = 26
/** Members kept of an object, in addition to those that the contract names. */
const mostMembers = 101
/** UTF-16 units kept of a text: more than the longest text of the contract may have. */
const longestText = 100_002

interface Excerpt {
  readonly value: JsonValue
  /** Lists or objects were shortened. */
  readonly isCut: boolean
}

/**
 * Shortens a request that is not valid, so that collecting all of its errors takes little time and memory: a megabyte
 * can hold a hundred thousand. What is too long in the whole is too long in the excerpt, and no member is left out that
 * a schema may require, so the excerpt has no error that the whole does not have.
 *
 * @param named the names of all members in the contract's schemas
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

/** Returns the names of all members in the schemas of a document. */
export function namesIn(document: JsonValue, names = new Set<string>()): Set<string> {
  if (typeof document !== 'object' || document === null) return names
  const { properties } = document as { properties?: JsonValue }
  if (isJsonObject(properties ?? null)) for (const name of Object.keys(properties as object)) names.add(name)
  for (const child of Object.values(document)) namesIn(child, names)
  return names
}
