/** Does not compile if a type of a package is not found, or is `any`. */
const never =
  'type IsAny<T> = 0 extends 1 & T ? true : false; function never<T>(isAny: IsAny<T>) { return isAny }'

/** Uses of every entry of a package. */
export const consumers: Readonly<Record<string, readonly string[]>> = {
  sdk: [
    `import { NotFoundError, Surrogate, webhooks } from '@surrogate/sdk'
    import type { Card, CreateTokenRequest, Pages, RequestOptions, SurrogateOptions, Token } from '@surrogate/sdk'
    ${never}
    const options: SurrogateOptions = { apiKey: 'k', baseUrl: 'http://x', fetch: (url, init) => fetch(url, init) }
    const client = new Surrogate(options)
    export async function use(perCall: RequestOptions) {
    const token = await client.tokens.get<Card>('abc', perCall)
    const created = await client.tokens.create({ type: 'card', data: { number: '4' } })
    const list = client.tokens.list<Card>()
    const payload = await webhooks.verify('', {}, '')
    never<typeof token>(false)
    never<typeof token.data>(false)
    never<typeof token.metadata>(false)
    never<typeof created.data>(false)
    never<typeof list>(false)
    never<typeof payload>(false)
    never<CreateTokenRequest>(false)
    never<Pages<Token<Card>>>(false)
    never<RequestOptions['signal']>(false)
    never<NotFoundError['problem']>(false)
    never<NotFoundError['headers']>(false)
    // @ts-expect-error a card has a number
    await client.tokens.create({ type: 'card', data: {} })
    }`,
    `import { type Token, Surrogate } from '@surrogate/sdk'
    import { Dev, type DevTenant } from '@surrogate/sdk/dev'
    ${never}
    export async function use(tenant: DevTenant): Promise<Token[]> {
      const dev = new Dev({ baseUrl: 'http://x', managementKey: tenant.managementKey })
      never<typeof dev.clock>(false)
      const application = await tenant.application()
      // @ts-expect-error the address is a string
      new Dev({ baseUrl: 1 })
      return (await new Surrogate(application).tokens.list()).data
    }`,
  ],
  server: [
    `import { setupServer } from 'msw/node'
    import { createVault } from '@surrogate/server'
    import { vaultHandlers } from '@surrogate/server/msw'
    ${never}
    const handlers = vaultHandlers(createVault(), 'https://vault.example.org')
    never<typeof handlers>(false)
    export const server = setupServer(...handlers)
    // @ts-expect-error a vault is an object
    vaultHandlers(1, 'https://vault.example.org')`,
    `import { type NewTenant, startTestVault, type TestVault, testVault } from '@surrogate/server/testing'
    import setup, { globalSetup, globalTeardown } from '@surrogate/server/testing/setup'
    ${never}
    export async function use(): Promise<NewTenant> {
      const vault: TestVault = await testVault()
      never<typeof vault.url>(false)
      const ends: (() => Promise<void>)[] = [await startTestVault(), await setup(), await globalSetup(), globalTeardown]
      for (const end of ends) await end()
      // @ts-expect-error the storage is a string
      await startTestVault({ storage: 1 })
      return vault.createTenant()
    }`,
    `import { expect, test, vaultTest, type FixtureOptions } from '@surrogate/server/testing/vitest'
    import { test as pageTest, expect as pageExpect } from '@surrogate/server/testing/playwright'
    import { withVault, type VaultFixture } from '@surrogate/server/testing/fixture'
    import { requestMatchers } from '@surrogate/server/testing/jest'
    import { expect as plainExpect } from 'vitest'
    ${never}
    const options: FixtureOptions = { seed: ({ surrogate }) => surrogate.tokens.create({ type: 'token', data: 1 }) }
    test('a', async ({ tenant, surrogate, dev }) => {
      for (const check of [never<typeof tenant>, never<typeof surrogate>, never<typeof dev>]) check(false)
      await expect(dev.requests).not.toHaveReceived({ operation: 'tokens.create', times: 1 })
      plainExpect.extend(requestMatchers)
      await plainExpect(dev.requests).toHaveReceived({ operation: 'tokens.create' })
      // @ts-expect-error a pattern is an object
      await expect(dev.requests).toHaveReceived(1)
    })
    vaultTest(options)('b', ({ tenant }) => tenant.clock.advance('1h').then(() => {}))
    pageTest('c', async ({ surrogate, dev }) => {
      never<typeof surrogate>(false)
      await pageExpect(dev.requests).toHaveReceivedInOrder([{ operation: 'tokens.create' }])
    })
    export const use: (context: { name: string }) => Promise<void> = withVault(async (fixture: VaultFixture, context: { name: string }) => {
      never<typeof fixture.dev>(false)
      never<typeof requestMatchers>(false)
      return context.name
    }, options)`,
    `import { createVault, type FormulaRun, OperatorError, runFormula, type Vault, type VaultOptions } from '@surrogate/server'
    ${never}
    const options: VaultOptions = { storage: 'memory:' }
    const vault: Vault = createVault(options)
    export async function use(run: FormulaRun, error: OperatorError) {
      const tenant = await vault.createTenant()
      const ran = await runFormula('', { args: 1 })
      if (error instanceof OperatorError) never<typeof error.program>(false)
      for (const check of [never<Vault>, never<typeof tenant.privateKey>, never<typeof ran.outcome>]) check(false)
      never<VaultOptions['storage']>(false)
      never<FormulaRun['console']>(false)
      // @ts-expect-error the storage is a string
      createVault({ storage: 1 })
      return run
    }`,
  ],
  conformance: [
    `import { run, type Feature, features } from '@surrogate/conformance'
    ${never}
    export async function use(target: Parameters<typeof run>[0], feature: Feature) {
      const report = await run(target, { only: ['TOK-001'] })
      never<typeof report>(false)
      never<typeof report.verdicts>(false)
      never<typeof feature>(false)
      never<typeof features>(false)
      // @ts-expect-error a target is an object
      await run(1)
    }`,
  ],
}
