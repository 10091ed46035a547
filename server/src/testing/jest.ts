/**
 * @module @surrogate/server/testing/jest
 * `withVault` for jest, and matchers for requests, which are added to the global `expect`. Needs `@surrogate/sdk`.
 */
import { requestMatchers } from '@surrogate/sdk/dev'

export { hearConsoleOf, requestMatchers } from '@surrogate/sdk/dev'
export { type FixtureOptions, type VaultFixture, withVault } from './fixture.ts'

// With `injectGlobals: false` there is none: a setup file then calls `expect.extend(requestMatchers)`.
const { expect } = globalThis as { expect?: { extend?(matchers: object): void } }
expect?.extend?.(requestMatchers)
