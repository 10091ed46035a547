/**
 * @module @surrogate/server/testing
 * One vault for a whole run of tests, in any runner. In tests: `testVault()`. As global setup of vitest, jest,
 * Playwright or `node --test`: `@surrogate/server/testing/setup`.
 */
import type { NewTenant } from '../access/tenant-settings.ts'
import { Dev } from '../generated/dev-client/index.ts'
import type { VaultOptions } from '../options/vault-options.ts'

export type { NewTenant } from '../access/tenant-settings.ts'

/** Workers of test runners inherit the environment of the process that ran the global setup. */
const address = 'SURROGATE_TEST_URL'

/** A vault that tests use by HTTP. */
export interface TestVault {
  /** Such as `http://127.0.0.1:4000`: the base URL for your application and for the SDK. */
  readonly url: string
  /** Makes a tenant with one key of each kind. Give each test its own, so that tests can run in parallel. */
  createTenant(options?: { readonly operator?: boolean }): Promise<NewTenant>
}

/**
 * Resolves with the vault of this run: the one that a global setup has started, or the one at `SURROGATE_TEST_URL`
 * (with `SURROGATE_DEV_TOKEN` if it has one). If there is neither, starts one in this process.
 *
 * @example
 * const vault = await testVault()
 * const { privateKey } = await vault.createTenant()
 * const surrogate = new Surrogate({ baseUrl: vault.url, apiKey: privateKey })
 */
export async function testVault(): Promise<TestVault> {
  if (!process.env[address]) await startTestVault()
  const url = process.env[address] ?? ''
  const dev = new Dev({ baseUrl: url, token: process.env.SURROGATE_DEV_TOKEN || undefined })
  return { url, createTenant: options => dev.createTenant(options) }
}

/**
 * Starts a vault in memory for `testVault`, unless `SURROGATE_TEST_URL` names one. It does not keep the process running.
 *
 * @returns a function that closes it
 * @example
 * // A global setup with options of its own
 * export default () => startTestVault({ formulaAllowOrigins: ['https://api.example.com'] })
 */
export async function startTestVault(options: VaultOptions = {}): Promise<() => Promise<void>> {
  if (process.env[address]) return async () => {}
  // Loaded here: workers that use the vault of the run do not need it.
  const { createVault } = await import('../vault.ts').catch(error => {
    // Jest runs tests where they cannot load ES modules.
    if (!process.env.JEST_WORKER_ID) throw error
    throw new Error("add this to the configuration of jest: globalSetup: '@surrogate/server/testing/setup'")
  })
  const vault = createVault({ storage: 'memory:', dev: true, ...options })
  process.env[address] = (await vault.listen({ unref: true })).url
  return async () => {
    delete process.env[address]
    await vault.close()
  }
}
