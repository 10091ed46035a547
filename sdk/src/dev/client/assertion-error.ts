import type { DevMatchedRequests, DevRecordedRequest, DevRequestPattern } from './generated/types.gen.ts'

/**
 * Recorded requests or the use of faults are not what a test expects, or nothing could have been seen. Test runners show it
 * as they show the errors of `node:assert`.
 *
 * @example
 * ```ts
 * await dev.requests.assert({ operation: 'tokens.create' }).catch(error => {
 *   if (error instanceof DevAssertionError) console.error(error.message)
 * })
 * ```
 */
export class DevAssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code = 'ERR_ASSERTION'
  readonly actual: unknown
  readonly expected: unknown

  constructor(
    sentence: string,
    details: string,
    counts: { readonly actual: unknown; readonly expected: unknown },
  ) {
    super(`${sentence}${details}`)
    this.actual = counts.actual
    this.expected = counts.expected
  }
}

/** Names the requests that a pattern is about, without what it has of the caller's. */
export function nameOf({ operation = 'any operation', status, body, path }: DevRequestPattern): string {
  const more = [
    ...(path === undefined ? [] : ['this path']),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(body === undefined ? [] : ['this body']),
  ]
  return more.length === 0 ? operation : `${operation} with ${more.join(', ')}`
}

const mostLines = 20

/** Shows the requests that match, or the nearest one and what differs. */
export function failureText({ data, nearest }: Pick<DevMatchedRequests, 'data' | 'nearest'>): string {
  if (data.length > 0) {
    const more = data.length > mostLines ? [`  … and ${data.length - mostLines} more`] : []
    return `; these match:\n${[...data.slice(0, mostLines).map(line), ...more].join('\n')}`
  }
  if (!nearest) return '; there was no request'
  const differences = nearest.differences.map(
    ({ member, expected, received }) =>
      `    ${member}\n      - expected: ${expected}\n      + received: ${received}`,
  )
  return `; the nearest one:\n${[line(nearest.request), ...differences].join('\n')}`
}

function line({ number, operation, path, status }: DevRecordedRequest): string {
  return `  ${number}: ${operation} (${path}) ${status ?? 'no response'}`
}
