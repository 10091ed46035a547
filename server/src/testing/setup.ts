/**
 * @module @surrogate/server/testing/setup
 * Global setup of vitest, jest, Playwright and `node --test`: starts one vault for the whole run. Tests find it by
 * `testVault()` of `@surrogate/server/testing`.
 */
import { startTestVault } from './testing.ts'

let close: (() => Promise<void>) | undefined

/** vitest and Playwright call what it returns at the end; jest needs nothing closed. */
export default async function setup(): Promise<() => Promise<void>> {
  close = await startTestVault()
  return close
}

/** For `node --test --test-global-setup`. */
export const globalSetup = setup

export async function globalTeardown(): Promise<void> {
  await close?.()
}
