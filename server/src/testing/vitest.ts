/**
 * @module @surrogate/server/testing/vitest
 * `test` of vitest with a tenant, a client and a development server, and `expect` with matchers for requests. Needs
 * `vitest` 4 and `@surrogate/sdk`.
 */

import { requestMatchers } from '@surrogate/sdk/dev'
import { test as base, expect, type TestAPI } from 'vitest'
import { type FixtureOptions, Fixtures, type VaultFixture } from './fixture.ts'

export type { FixtureOptions, VaultFixture } from './fixture.ts'

expect.extend(requestMatchers)

/**
 * `test` of vitest with `{ tenant, surrogate, dev }`. After each test all faults and answers must be used and no delivery left over.
 *
 * @example
 * test('a card is kept', async ({ surrogate, dev }) => {
 *   await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
 *   await expect(dev.requests).toHaveReceived({ operation: 'tokens.create', times: 1 })
 * })
 */
export const test: VaultTest = vaultTest()

/** `test` of vitest with fixtures. */
export type VaultTest = TestAPI<VaultFixture & { readonly vault: VaultFixture }>

/** Returns a `test` with options, such as a `seed` with which each test begins. */
export function vaultTest(options: FixtureOptions = {}): VaultTest {
  const fixtures = new Fixtures(options)
  return base.extend<VaultFixture & { vault: VaultFixture }>({
    vault: async ({ task, onTestFinished }, use) => {
      const open = await fixtures.open()
      // Not after `use`: vitest cleans fixtures up twice if that fails, and prints the failure twice.
      onTestFinished(async () => {
        if (task.result?.state === 'fail' || (task.result?.errors?.length ?? 0) > 0) return
        await open.check()
        await open.release()
      })
      await use(open)
    },
    tenant: async ({ vault }, use) => use(vault.tenant),
    surrogate: async ({ vault }, use) => use(vault.surrogate),
    dev: async ({ vault }, use) => use(vault.dev),
  })
}

export { expect }
