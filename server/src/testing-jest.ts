/**
 * @module @surrogate/server/testing/jest
 * `withVault` for jest, and matchers for requests, which are added to the global `expect`. Needs `@surrogate/sdk`.
 */
import { type DevRequestPattern, type ExpectedRequest, requestMatchers } from '@surrogate/sdk/dev'

export { requestMatchers } from '@surrogate/sdk/dev'
export { type FixtureOptions, type VaultFixture, withVault } from './testing-fixture.ts'

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the parameters have to be those of jest
    interface Matchers<R, T = {}> {
      toHaveReceived(expected: ExpectedRequest): Promise<void>
      toHaveReceivedInOrder(patterns: readonly DevRequestPattern[]): Promise<void>
    }
  }
}

// With `injectGlobals: false` there is none: a setup file then calls `expect.extend(requestMatchers)`.
const { expect } = globalThis as { expect?: { extend?(matchers: object): void } }
expect?.extend?.(requestMatchers)
