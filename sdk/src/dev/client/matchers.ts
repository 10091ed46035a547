import type { DevRequestPattern } from './generated/types.gen.ts'
import type { DevRequests, ExpectedRequest } from './requests.ts'

/**
 * Matchers for `expect` of vitest, jest and Playwright.
 *
 * @example
 * ```ts
 * expect.extend(requestMatchers)
 * await expect(dev.requests).toHaveReceived({ operation: 'tokens.create', times: 1 })
 * await expect(dev.requests).not.toHaveReceived({ operation: 'tokens.delete' })
 * await expect(dev.requests).toHaveReceivedInOrder([{ operation: 'tokens.create' }, { operation: 'tokens.get' }])
 * ```
 */
export const requestMatchers = {
  toHaveReceived: (
    requests: DevRequests,
    expected: ExpectedRequest,
  ): Promise<{ pass: boolean; message: () => string }> => {
    const { times, ...pattern } = expected
    const unwanted = times === undefined ? 'a request that should not be there' : `not ${times} such requests`
    return verdict(requests.assert(expected), async () => {
      const refused = await requests.assertNone(pattern).catch((error: Error) => error.message)
      return `expected ${unwanted}: ${refused ?? ''}`
    })
  },
  toHaveReceivedInOrder: (
    requests: DevRequests,
    patterns: readonly DevRequestPattern[],
  ): Promise<{ pass: boolean; message: () => string }> =>
    verdict(requests.assertOrder(patterns), async () => 'expected requests in another order'),
}

/** Turns an assertion into a verdict. Other errors, such as that of an unknown operation, are thrown with `not` too. */
async function verdict(
  assertion: Promise<void>,
  unwanted: () => Promise<string>,
): Promise<{ pass: boolean; message: () => string }> {
  try {
    await assertion
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AssertionError') throw error
    return { pass: false, message: () => error.message }
  }
  const text = await unwanted()
  return { pass: true, message: () => text }
}
