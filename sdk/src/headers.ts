import { mustBe } from './check.ts'

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
 * Returns headers as a plain object with lower-case names: some implementations of `fetch` do not accept the `Headers`
 * of another one. Later sources replace earlier ones. Throws a `TypeError` for an invalid header; its message does not
 * contain the value.
 */
export function mergeHeaders(...sources: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const source of sources) {
    if (!source) continue
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) {
      if (value === undefined) continue
      mustBe(
        'headers, idempotencyKey and traceId',
        /^[\w.-]+:[ -~]*$/.test(`${name}:${value}`),
        'printable ASCII',
      )
      merged[name.toLowerCase()] = value
    }
  }
  return merged
}
