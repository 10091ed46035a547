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
 * Returns headers as a plain object with lower-case names, later ones first: some implementations of `fetch` do not
 * accept the `Headers` of another one. Throws a `TypeError` like `setHeader`.
 */
export function mergeHeaders(...sources: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const merged = {}
  for (const source of sources) {
    if (!source) continue
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source))
      setHeader(merged, name, value)
  }
  return merged
}

/** Throws a `TypeError` for an invalid header; its message does not contain the value. */
export function setHeader(headers: Record<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) return
  if (!/^[\w.-]+:[ -~]*$/.test(`${name}:${value}`))
    throw new TypeError('headers, idempotencyKey and traceId must be printable ASCII')
  headers[name.toLowerCase()] = value
}
