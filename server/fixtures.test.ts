// Only in CI: it starts test runners.
// In a process of its own: it starts test runners.
/**
 * The fixtures for test runners, as built, in the runners themselves. Each runs tests of which some fail. jest, which
 * is installed for that, is in `runners.test.ts`.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { calls, casesModule, checkRun } from './verify/support/fixture-cases.ts'

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))
const setup = "globalSetup: '@surrogate/server/testing/setup'"
const withVault = (body: string, isSeeded: boolean) =>
  `withVault(${body}${isSeeded ? ', { seed: cases.seed }' : ''})`

/** Tests of runners whose `test` and `expect` are extended. */
const ofExtended = `test('matchers', async ({ surrogate, dev }) => {
          await surrogate.tokens.create(cases.card)
          await expect(dev.requests).toHaveReceived({ operation: 'tokens.create', body: cases.card, times: 1 })
          await expect(dev.requests).not.toHaveReceived({ operation: 'tokens.delete' })
          await expect(expect(dev.requests).toHaveReceived({ status: 400 })).rejects.toThrow(/the nearest one/)
        })
        ${calls('test', 'seeded', body => `({ tenant, surrogate, dev }) => ${body}({ tenant, surrogate, dev })`)}`

interface Runner {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly run: readonly string[]
}

const runners: readonly Runner[] = [
  {
    name: 'vitest',
    files: {
      'vitest.config.js': `export default { test: { ${setup}, testTimeout: 300000 } }`,
      'a.test.js': `import cases from './cases.cjs'
        import { expect, test, vaultTest } from '@surrogate/server/testing/vitest'
        const seeded = vaultTest({ seed: cases.seed })
        ${ofExtended}`,
    },
    run: [join(modules, 'vitest/vitest.mjs'), 'run', '--root', '.'],
  },
  {
    name: 'playwright',
    files: {
      'playwright.config.js': `export default { ${setup}, reporter: 'line', workers: 1, outputDir: 'output', timeout: 300000 }`,
      'a.spec.js': `import cases from './cases.cjs'
        import { expect, test, vaultTest } from '@surrogate/server/testing/playwright'
        const seeded = vaultTest({ seed: cases.seed })
        ${ofExtended}`,
    },
    run: [join(modules, '@playwright/test/cli.js'), 'test'],
  },
  {
    name: 'node:test',
    files: {
      'a.test.mjs': `import cases from './cases.cjs'
        import { test } from 'node:test'
        import { withVault } from '@surrogate/server/testing/fixture'
        ${calls('test', 'test', withVault)}`,
    },
    run: ['--test'],
  },
  {
    name: 'tap',
    files: {
      'a.mjs': `import cases from './cases.cjs'
        import t from 'tap'
        import { withVault } from '@surrogate/server/testing/fixture'
        ${calls('t.test', 't.test', withVault)}`,
    },
    run: ['a.mjs'],
  },
]

for (const { name, files, run } of runners) {
  t.test(`${name}: fixtures are checked after each test`, async t => {
    const folder = t.testdir({ 'package.json': '{"type":"module"}', 'cases.cjs': casesModule, ...files })
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, CI: '1', TAP: '1' }
    const { status, stdout, stderr } = spawnSync(process.execPath, run, {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    t.equal(status, 1)
    checkRun(t, `${stdout}${stderr}`)
  })
}
