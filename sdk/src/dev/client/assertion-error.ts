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
