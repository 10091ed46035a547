import type { DevEgressRequests, ExpectedEgress } from './egress.ts'
import type { DevOutgoingPattern } from './generated/types.gen.ts'
import type { DevRequests, ExpectedRequest, RequestPattern } from './requests.ts'

type Expected = ExpectedRequest | ExpectedEgress
type Pattern = RequestPattern | DevOutgoingPattern

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
  async toHaveReceived(
    this: unknown,
    given: DevRequests | DevEgressRequests,
    expected: Expected,
  ): Promise<{ pass: boolean; message: () => string }> {
    const requests = given as DevRequests
    const { times, ...pattern } = expected
    const unwanted = times === undefined ? 'a request that should not be there' : `not ${times} such requests`
    const found = await verdict(requests.assert(expected), async () => {
      const refused = await requests.assertNone(pattern).catch((error: Error) => error.message)
      return `expected ${unwanted}: ${refused ?? ''}`
    })
    // A request that nobody could see would be none, too.
    if (!found.pass && isNot(this)) await requests.assertSeen(expected)
    return found
  },
  async toHaveReceivedInOrder(
    this: unknown,
    given: DevRequests | DevEgressRequests,
    patterns: readonly Pattern[],
  ): Promise<{ pass: boolean; message: () => string }> {
    const requests = given as DevRequests
    const found = await verdict(
      requests.assertOrder(patterns),
      async () => 'expected requests in another order',
    )
    if (!found.pass && isNot(this)) await requests.assertSeen({})
    return found
  },
}

/** True for a matcher after `not`. */
const isNot = (expectation: unknown) => (Object(expectation) as { isNot?: boolean }).isNot === true

/** Turns an assertion into a verdict. Other errors, such as that of an unknown operation, are thrown with `not` too. */
async function verdict(
  assertion: Promise<void>,
  unwanted: () => Promise<string>,
): Promise<{ pass: boolean; message: () => string }> {
  try {
    await assertion
  } catch (error) {
    // By its code, as the error may come from another realm, such as that of a test runner.
    const { code, message } = Object(error) as { code?: unknown; message: string }
    if (code !== 'ERR_ASSERTION') throw error
    return { pass: false, message: () => message }
  }
  const text = await unwanted()
  return { pass: true, message: () => text }
}

declare global {
  // jest, and vitest, which takes over the matchers of jest.
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the parameters have to be those of jest
    interface Matchers<R, T = {}> {
      toHaveReceived(expected: Expected): Promise<void>
      toHaveReceivedInOrder(patterns: readonly Pattern[]): Promise<void>
    }
  }
  namespace PlaywrightTest {
    interface Matchers<R, T = unknown> {
      toHaveReceived(expected: Expected): Promise<void>
      toHaveReceivedInOrder(patterns: readonly Pattern[]): Promise<void>
    }
  }
}
