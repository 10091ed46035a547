/**
 * Headers of a request: a `Headers`, an object or a list of pairs.
 *
 * @example
 * ```ts
 * const headers: RequestHeaders = { 'X-Request-Source': 'checkout' }
 * ```
 */
export type RequestHeaders =
  | Readonly<Record<string, string | undefined>>
  | Iterable<readonly [name: string, value: string]>

/**
 * Merges headers into a plain object with lower-case names, later ones first: some implementations of `fetch` do not
 * accept the `Headers` of another one. Throws a `TypeError` for invalid ones; its message does not contain the value.
 */
export function mergeHeaders(...sources: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const merged = new Map<string, string>()
  for (const source of sources) {
    if (!source) continue
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) {
      if (value === undefined) continue
      if (!/^[\w.-]+:[ -~]*$/.test(`${name}:${value}`))
        throw new TypeError('headers, idempotencyKey and traceId must be printable ASCII')
      merged.set(name.toLowerCase(), value)
    }
  }
  return Object.fromEntries(merged)
}
