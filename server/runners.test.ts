// In a process of its own: it takes long.
// Only in CI: it installs three test runners.
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { calls, casesModule, checkRun } from './verify/support/fixture-cases.ts'
import { afterInstalling, installRunners, timeout } from './verify/support/install-runners.ts'

/** The helpers for test runners, as built, in the runners themselves. They are installed here: no one else needs them. */
const execute = promisify(execFile)
const server = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'surrogate-runners-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

async function install(): Promise<string | false> {
  const runners = ['vitest@^4', 'jest@^30', '@playwright/test@^1.65']
  const missing = await installRunners(folder, runners, { type: 'module' })
  if (missing) return missing
  await mkdir(join(folder, 'node_modules/@surrogate'))
  await symlink(server, join(folder, 'node_modules/@surrogate/server'), 'dir')
  await symlink(join(server, '../sdk'), join(folder, 'node_modules/@surrogate/sdk'), 'dir')
  return false
}
const whenInstalled = afterInstalling(install)

/** A test that uses a tenant of its own, and prints the address of its vault. */
const body = `
  const { url, createTenant } = await testVault()
  const { privateKey } = await createTenant()
  const response = await fetch(url + '/tokens', { headers: { 'SVC-API-KEY': privateKey } })
  console.log('vault ' + url)
  if (response.status !== 200) throw new Error(await response.text())`
const imported = `import { testVault } from '@surrogate/server/testing'`

interface Runner {
  readonly name: string
  readonly file: string
  readonly test: string
  readonly config: string
  /** The configuration with the global setup, and without. */
  readonly content: (setup: string) => string
  readonly run: readonly string[]
}

const runners: readonly Runner[] = [
  {
    name: 'vitest',
    file: 'test.js',
    test: `import { test } from 'vitest'\n${imported}\ntest('one', async () => {${body}})`,
    config: 'vitest.config.js',
    content: setup => `export default { test: { testTimeout: ${timeout}, ${setup} } }`,
    run: ['vitest/vitest.mjs', 'run'],
  },
  {
    name: 'jest',
    file: 'test.cjs',
    test: `const { testVault } = require('@surrogate/server/testing')\ntest('one', async () => {${body}})`,
    config: 'jest.config.cjs',
    content: setup => `module.exports = { testTimeout: ${timeout}, testMatch: ['**/*.test.cjs'], ${setup} }`,
    run: ['jest/bin/jest.js'],
  },
  {
    name: 'playwright',
    file: 'spec.js',
    test: `import { test } from '@playwright/test'\n${imported}\ntest('one', async () => {${body}})`,
    config: 'playwright.config.js',
    content: setup => `export default { reporter: 'line', workers: 2, ${setup} }`,
    run: ['@playwright/test/cli.js', 'test'],
  },
]

/** Runs two test files. Resolves with the address that each of them printed. */
async function vaultsOf(
  { name, file, test, config, content, run }: Runner,
  setup: string,
): Promise<string[]> {
  const place = join(folder, `${name}${setup === '' ? '-alone' : ''}`)
  await mkdir(place)
  await writeFile(join(place, `a.${file}`), test)
  await writeFile(join(place, `b.${file}`), test)
  await writeFile(join(place, config), content(setup))
  const [program = '', ...args] = run
  const { PATH = '', HOME = '' } = process.env
  const { stdout, stderr } = await execute(
    process.execPath,
    [join(folder, 'node_modules', program), ...args],
    { cwd: place, env: { PATH, HOME, CI: '1' }, timeout },
  )
  return [...`${stdout}${stderr}`.matchAll(/vault (http:\S+)/g)].map(([, url = '']) => url)
}

for (const runner of runners) {
  whenInstalled(`${runner.name} has one vault for a run by its global setup`, async t => {
    const shared = await vaultsOf(runner, "globalSetup: '@surrogate/server/testing/setup'")
    t.equal(shared.length, 2, 'both test files ran')
    t.equal(new Set(shared).size, 1)
  })
}

whenInstalled('without it vitest has a vault for each process, and jest is told what to add', async t => {
  const [vitest, jest] = runners as readonly [Runner, Runner]
  t.equal(new Set(await vaultsOf(vitest, '')).size, 2)
  const error: { stdout?: string; stderr?: string } = await vaultsOf(jest, '').catch(error => error)
  t.match(`${error.stdout}${error.stderr}`, /globalSetup: '@surrogate\/server\/testing\/setup'/)
})

whenInstalled('jest loads the server itself by require and by import', async t => {
  const place = join(folder, 'jest-loads')
  await mkdir(place)
  const use = `test('one', async () => {
    const vault = createVault()
    const { privateKey } = await vault.createTenant()
    const response = await vault.fetch('http://vault/tokens', { headers: { 'SVC-API-KEY': privateKey } })
    expect(response).toBeInstanceOf(Response)
    expect(response.status).toBe(200)
    await expect(createVault({ storge: 1 }).ready()).rejects.toBeInstanceOf(VaultOptionsError)
    await vault.close()
  })`
  const names = '{ createVault, VaultOptionsError }'
  await writeFile(join(place, 'a.test.cjs'), `const ${names} = require('@surrogate/server')\n${use}`)
  await writeFile(join(place, 'b.test.mjs'), `import ${names} from '@surrogate/server'\n${use}`)
  await writeFile(
    join(place, 'jest.config.cjs'),
    `module.exports = { testTimeout: ${timeout}, testMatch: ['**/*.test.*js'] }`,
  )
  const { PATH = '', HOME = '' } = process.env
  const run = (file: string, NODE_OPTIONS: string) =>
    execute(process.execPath, [join(folder, 'node_modules/jest/bin/jest.js'), file], {
      cwd: place,
      env: { PATH, HOME, NODE_OPTIONS },
      timeout,
    })
  t.match((await run('a.test.cjs', '')).stderr, /1 passed/)
  t.match((await run('b.test.mjs', '--experimental-vm-modules')).stderr, /1 passed/)
})

whenInstalled('jest: fixtures are checked after each test', async t => {
  const place = join(folder, 'jest-fixtures')
  await mkdir(place)
  const wrap = (body: string, isSeeded: boolean) =>
    `withVault(${body}${isSeeded ? ', { seed: cases.seed }' : ''})`
  const test = `const cases = require('./cases.cjs')
    const { withVault } = require('@surrogate/server/testing/jest')
    const { NotFoundError } = require('@surrogate/sdk')
    test('matchers', withVault(async ({ surrogate, dev }) => {
      await surrogate.tokens.create(cases.card)
      await expect(dev.requests).toHaveReceived({ operation: 'tokens.create', body: cases.card, times: 1 })
      await expect(dev.requests).not.toHaveReceived({ operation: 'tokens.delete' })
      await expect(surrogate.tokens.get('none')).rejects.toThrow(NotFoundError)
    }))
    ${calls('test', 'test', wrap)}`
  const config = `globalSetup: '@surrogate/server/testing/setup', testTimeout: ${timeout}`
  const files = {
    'a.test.cjs': test,
    'cases.cjs': casesModule,
    'jest.config.cjs': `module.exports = { ${config}, testMatch: ['**/*.test.cjs'] }`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text)
  const { PATH = '', HOME = '' } = process.env
  const options = { cwd: place, env: { PATH, HOME, CI: '1' }, timeout }
  const { stdout, stderr } = await execute(
    process.execPath,
    [join(folder, 'node_modules/jest/bin/jest.js')],
    options,
  ).catch(error => error)
  checkRun(t, `${stdout}${stderr}`)
})

whenInstalled('node --test', async t => {
  const place = join(folder, 'node')
  await mkdir(place)
  const test = `import { test } from 'node:test'\n${imported}\ntest('one', async () => {${body}})`
  for (const name of ['a', 'b']) await writeFile(join(place, `${name}.test.mjs`), test)
  const { PATH = '', HOME = '' } = process.env
  const run = async (...flags: string[]) => {
    const options = { cwd: place, env: { PATH, HOME }, timeout }
    const { stdout } = await execute(process.execPath, ['--test', ...flags], options)
    return [...stdout.matchAll(/vault (http:\S+)/g)].map(([, url = '']) => url)
  }
  t.equal(new Set(await run()).size, 2, 'a vault for each process, which ends by itself')
  const hasSetup = process.allowedNodeEnvironmentFlags.has('--test-global-setup')
  await t.test(
    'one vault for a run',
    { skip: !hasSetup && 'this version of Node has no global setup' },
    async t => {
      const module = join(server, 'dist/testing-setup.js')
      const shared = await run(`--test-global-setup=${module}`)
      t.equal(shared.length, 2)
      t.equal(new Set(shared).size, 1)
    },
  )
})
