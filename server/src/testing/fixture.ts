/**
 * @module @surrogate/server/testing/fixture
 * A tenant, a client and a development server for each test, checked after it: `withVault` for node:test and tap. For
 * other runners there are `@surrogate/server/testing/vitest`, `/playwright` and `/jest`. Needs `@surrogate/sdk`.
 */
import { Surrogate } from '@surrogate/sdk'
import { Dev, type DevTenant } from '@surrogate/sdk/dev'
import { testVault } from './testing.ts'

export { hearConsoleOf } from '@surrogate/sdk/dev'

/** What a test gets. */
export interface VaultFixture {
  /** A tenant that no other test uses meanwhile. */
  readonly tenant: DevTenant
  /** A client with the tenant's private key. */
  readonly surrogate: Surrogate
  /** What the development server does for this tenant. */
  readonly dev: Dev
}

export interface FixtureOptions {
  /** Prepares a tenant. Each test begins with what it made, which is restored by a snapshot. */
  readonly seed?: (fixture: VaultFixture) => Promise<unknown>
}

/** A fixture in use, and what its test leaves. @internal */
export interface OpenFixture extends VaultFixture {
  /** Throws if faults or answers were not used, or deliveries wait for a later attempt. */
  check(): Promise<void>
  /** Allows another test to have the tenant, restored. Not called after a failure, which may have left anything. */
  release(): Promise<void>
}

/** Opens fixtures for the tests of one file. @internal */
export class Fixtures {
  readonly #options: FixtureOptions
  /** Prepared tenants that no test uses, with the names of their snapshots. */
  readonly #idle: { readonly fixture: VaultFixture; readonly snapshot: string }[] = []

  constructor(options: FixtureOptions) {
    this.#options = options
  }

  async open(): Promise<OpenFixture> {
    const { fixture, snapshot } = (await this.#reused()) ?? (await this.#made())
    const { dev, tenant } = fixture
    return {
      ...fixture,
      check: () => check(fixture),
      release: async () => {
        // What the inbox received is no part of a snapshot.
        if (snapshot === undefined || (await dev.inbox.list()).length > 0) return
        await dev.faults.clear()
        await dev.egress.clear()
        this.#idle.push({ fixture: { tenant, surrogate: fixture.surrogate, dev }, snapshot })
      },
    }
  }

  async #reused() {
    const idle = this.#idle.pop()
    if (!idle) return undefined
    const { dev, tenant } = idle.fixture
    try {
      await tenant.restore(idle.snapshot)
    } catch (error) {
      // A test has reset the server.
      if (Object(error).name === 'DevError') return undefined
      throw error
    }
    await forget(dev)
    return idle
  }

  async #made(): Promise<{ fixture: VaultFixture; snapshot?: string }> {
    const { url } = await testVault()
    const server = new Dev({ baseUrl: url, token: process.env.SURROGATE_DEV_TOKEN })
    const tenant = await server.createTenant()
    const dev = server.forTenant(tenant)
    const fixture = { tenant, dev, surrogate: new Surrogate({ baseUrl: url, apiKey: tenant.privateKey }) }
    if (!this.#options.seed) return { fixture }
    await this.#options.seed(fixture)
    await forget(dev)
    const snapshot = await tenant.snapshot().catch(error => {
      // Other storages than memory: have no snapshots: each test has a tenant of its own.
      if (error.name === 'DevError' && error.status === 409) return undefined
      throw error
    })
    return snapshot === undefined ? { fixture } : { fixture, snapshot }
  }
}

async function forget({ requests, egress }: Dev): Promise<void> {
  await requests.clear()
  await egress.requests.clear()
}

async function check({ dev, tenant }: VaultFixture): Promise<void> {
  if ((await dev.faults.list()).length > 0) await dev.faults.assertUsed()
  if ((await dev.egress.list()).length > 0) await dev.egress.assertUsed()
  const { url } = await testVault()
  const { jobs } = new Surrogate({ baseUrl: url, apiKey: tenant.managementKey })
  const count = async () => (await jobs.list({ size: 1 })).pagination.total_items
  if ((await count()) === 0) return
  // Those that run now end; a delivery that is due later stays.
  await dev.settled()
  const left = await count()
  if (left > 0) {
    throw new Error(
      `${left} asynchronous invocation${left === 1 ? ' is' : 's are'} left over, with an attempt that is due later: move the clock (tenant.clock.advance('3h')) or cancel ${left === 1 ? 'it' : 'them'}`,
    )
  }
}

/** What node:test and tap pass to a test. */
interface Context {
  passing?(): boolean
}

/**
 * Returns the body of a test that gets a tenant, a client and a development server, and what the runner passes. After it
 * all faults and answers must be used and no delivery left over.
 *
 * @example
 * test('a card is kept', withVault(async ({ surrogate, dev }) => {
 *   await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
 *   await dev.requests.assert({ operation: 'tokens.create', times: 1 })
 * }))
 */
export function withVault<Given extends readonly unknown[]>(
  body: (fixture: VaultFixture, ...given: Given) => unknown,
  options: FixtureOptions = {},
): (...given: Given) => Promise<void> {
  const fixtures = fixturesOf(options)
  return async (...given) => {
    const open = await fixtures.open()
    const context = (given[0] ?? {}) as Context
    await body(open, ...given)
    // An assertion that does not throw has failed.
    if (context.passing?.() === false) return
    await open.check()
    await open.release()
  }
}

/** Tests with the same seed share their prepared tenants. */
const known = new WeakMap<object, Fixtures>()

function fixturesOf(options: FixtureOptions): Fixtures {
  const key = options.seed ?? options
  const found = known.get(key) ?? new Fixtures(options)
  known.set(key, found)
  return found
}
