import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/**
 * JSON merge patch, RFC 7386 section 2.
 *
 * @example
 * mergePatch({ a: 'b', c: 'd' }, { a: null, c: 'e' }) // { c: 'e' }
 */
// Requirements: TOK-027, TOK-028, TOK-029, REA-013, TOK-048, TOK-049, TOK-050
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {}
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value)
  }
  return merged
}
