/**
 * @module @surrogate/server/testing/playwright
 * `test` of Playwright with a tenant, a client and a development server, and `expect` with matchers for requests. Needs
 * `@playwright/test` and `@surrogate/sdk`.
 */
import { test as base, expect as baseExpect } from '@playwright/test'
import { requestMatchers } from '@surrogate/sdk/dev'
import { type FixtureOptions, Fixtures, type VaultFixture } from './fixture.ts'

export type { FixtureOptions, VaultFixture } from './fixture.ts'

/** `expect` of Playwright with `toHaveReceived` and `toHaveReceivedInOrder` for `dev.requests`. */
export const expect = baseExpect.extend(requestMatchers)

/** Returns a `test` with options, such as a `seed` with which each test begins. */
export function vaultTest(options: FixtureOptions = {}) {
  const fixtures = new Fixtures(options)
  return base.extend<VaultFixture & { readonly vault: VaultFixture }>({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are needed
    vault: async ({}, use, testInfo) => {
      const open = await fixtures.open()
      await use(open)
      if (testInfo.status !== testInfo.expectedStatus) return
      await open.check()
      await open.release()
    },
    tenant: async ({ vault }, use) => use(vault.tenant),
    surrogate: async ({ vault }, use) => use(vault.surrogate),
    dev: async ({ vault }, use) => use(vault.dev),
  })
}

/**
 * `test` of Playwright with `{ tenant, surrogate, dev }`. After each test all faults and answers must be used and no
 * delivery left over.
 *
 * @example
 * test('a card is kept', async ({ surrogate, dev }) => {
 *   await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
 *   await expect(dev.requests).toHaveReceived({ operation: 'tokens.create', times: 1 })
 * })
 */
export const test = vaultTest()
