// Only in CI: it packs and installs.
// In a process of its own: it takes long.
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { runsTheSuite } from '../conformance/selftest/_installed.ts'
import { complaintsOf, complaintsOfDeclarations } from './verify/support/resolutions.ts'

/**
 * Packs each package as for publishing, installs it alone into an empty folder, and uses it there. A package contains
 * all that it needs of the others.
 */
const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const [npm, npx] = process.platform === 'win32' ? ['npm.cmd', 'npx.cmd'] : ['npm', 'npx']

const packages: readonly [name: string, files: readonly string[], use: string][] = [
  [
    'sdk',
    ['dist/index.js', 'dist/index.d.ts', 'openapi.yaml', 'LICENSE', 'README.md'],
    `import { Surrogate } from '@surrogate/sdk'
     const sdk = new Surrogate({ apiKey: 'k', baseUrl: 'http://x', fetch: async () => Response.json({ id: 'abc' }) })
     console.log((await sdk.tokens.get('abc')).id)`,
  ],
  [
    'server',
    [
      'bin/surrogate-server.js',
      'dist/index.js',
      'dist/index.d.ts',
      'openapi.yaml',
      'LICENSE',
      'README.md',
      'guide/run.md',
      'deploy/surrogate.service',
      'deploy/compose.yaml',
      'deploy/grafana-dashboard.json',
      'deploy/prometheus-rules.yaml',
      'deploy/kubernetes/surrogate.yaml',
      'dist/schemas/bootstrap.schema.json',
      'dist/schemas/profile.schema.json',
      'src/storage/README.md',
    ],
    `import { createVault, runFormula } from '@surrogate/server'
     const vault = createVault()
     const { privateKey } = await vault.createTenant()
     const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }
     const body = JSON.stringify({ id: 'abc', type: 'token', data: 1 })
     const { id } = await (await vault.fetch('http://x/tokens', { method: 'POST', headers, body })).json()
     const code = 'module.exports = async ({ args, svc }) => ({ raw: (await svc.tokens.get(args.id)).id })'
     const svc = { fetch: vault.fetch, apiKey: privateKey }
     const { outcome } = await runFormula(code, { args: { id }, svc })
     await vault.close()
     if (vault.dev.constructor.name !== 'Dev') throw new Error(vault.dev.constructor.name)
     console.log(outcome.raw)`,
  ],
  [
    'conformance',
    [
      'bin/surrogate-conformance.js',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/generated/sdk.js',
      'dist/surrogate-conformance.mjs',
      'requirements.yaml',
      'SPECIFICATION.md',
      'GUIDE.md',
      'examples/minimal/server.mjs',
      'examples/vectors/play.mjs',
      'vectors.schema.json',
      'openapi.yaml',
      'LICENSE',
      'README.md',
    ],
    `import { run } from '@surrogate/conformance'
     const fetch = async () => Response.json({}, { status: 500 })
     const target = { baseUrl: 'http://x', privateKey: 'k', headerPrefix: 'SVC', capabilities: [], timeoutMs: 1000, patienceMs: 1, fetch }
     const { verdicts } = await run(target, { only: ['TOK-001'] })
     console.log(verdicts.core === 'not conformant' ? 'abc' : verdicts.core)`,
  ],
]

/** A test dependency should be small to install. The script of the documentation page is 995,000 of them. */
const mostPackedBytes = 2_030_000

const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']

/** Installs a package. Resolves with false if the registry cannot be reached. */
async function install(folder: string, what: string): Promise<boolean> {
  try {
    await execute(npm, ['install', ...flags, what], { cwd: folder })
    return true
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr ?? error)
    if (!offline.test(reason)) throw error
    return false
  }
}

async function runsByNpx(t: Test, folder: string, name: string): Promise<void> {
  const { bin } = JSON.parse(
    await readFile(join(folder, 'node_modules/@surrogate', name, 'package.json'), 'utf8'),
  )
  t.same(Object.keys(bin), [`surrogate-${name}`])
  const { stdout } = await execute(npx, ['--no-install', `@surrogate/${name}`, '--help'], { cwd: folder })
  t.match(stdout, new RegExp(`^Usage: surrogate-${name} `))
}

/** Uses the optional part of the server that needs msw; the rest works without. */
const withMsw = `import { createVault } from '@surrogate/server'
  const { vaultHandlers } = await import('@surrogate/server/msw').catch(({ code, message }) => {
    console.log(code, message.includes("'msw'"))
    process.exit()
  })
  const { setupServer } = await import('msw/node')
  const vault = createVault()
  const { privateKey } = await vault.createTenant()
  setupServer(...vaultHandlers(vault, 'https://vault.test')).listen()
  const answer = await fetch('https://vault.test/tokens', { headers: { 'SVC-API-KEY': privateKey } })
  console.log(answer.status)
  await vault.close()
  process.exit()`

/** Matches npm's errors when the registry cannot be reached. */
const offline = /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/

async function usesMsw(t: Test, folder: string): Promise<void> {
  await writeFile(join(folder, 'use-msw.mjs'), withMsw)
  const run = async () => (await execute(process.execPath, ['use-msw.mjs'], { cwd: folder })).stdout.trim()
  t.equal(await run(), 'ERR_MODULE_NOT_FOUND true', 'without msw the error names it')
  // The versions that our own tests use, which npm has compared with those that the package asks for.
  await mkdir(join(folder, 'node_modules/@playwright'))
  for (const name of ['msw', 'vitest', '@playwright/test', '@surrogate/sdk'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
  t.equal(await run(), '200', 'with msw')
}

/** Does not compile if a type of a package is not found, or is `any`. */
const never =
  'type IsAny<T> = 0 extends 1 & T ? true : false; function never<T>(isAny: IsAny<T>) { return isAny }'

/** Uses of every entry of a package. */
const consumers: Readonly<Record<string, readonly string[]>> = {
  sdk: [
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

const require = createRequire(import.meta.url)

/** Loads an installed package by `require`. */
async function isRequired(t: Test, folder: string, use: string): Promise<void> {
  const required = use.replace(/import (\{.+\}) from ('.+')/, 'const $1 = require($2)')
  await writeFile(join(folder, 'use.cjs'), `(async () => {${required}})()`)
  const { NODE_OPTIONS: _, ...env } = process.env
  const run = (...flags: string[]) => execute(process.execPath, [...flags, 'use.cjs'], { cwd: folder, env })
  const { stdout, stderr } = await run()
  t.equal(stdout.trim(), 'abc', 'by require')
  t.equal(stderr, '')
  const flag = '--no-experimental-require-module'
  if (process.allowedNodeEnvironmentFlags.has('--experimental-require-module')) {
    const refused = await run(flag).catch(error => error)
    t.match(
      refused.stderr,
      /^Error: @surrogate\/\w+ is an ES module, and this Node cannot require those: use .+$/m,
    )
  }
}

/** Finds the types of every entry of a package in every way that TypeScript has, from the oldest supported version on. */
async function hasTypesEverywhere(t: Test, name: string, folder: string): Promise<void> {
  const compilers = [require('typescript'), await oldestTypeScript(t)]
  const settings = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')], esModuleInterop: true }
  for (const [at, code] of (consumers[name] ?? []).entries()) {
    for (const compiler of compilers) {
      if (!compiler) continue
      const ways = Object.entries(complaintsOf(compiler, { folder, code, settings }))
      t.equal(ways.length, 5)
      for (const [way, found] of ways)
        t.same(found, [], `${name} ${at}, TypeScript ${compiler.version}, ${way}`)
    }
    t.equal(
      await complaintsOfDeclarations({
        folder,
        code,
        settings: { ...settings, skipLibCheck: /msw|vitest/.test(code) },
      }),
      '',
    )
  }
}

let installedOldest: string | undefined

/** Installs the oldest supported TypeScript; undefined if the registry cannot be reached. */
async function oldestTypeScript(t: Test) {
  if (installedOldest === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'surrogate-typescript-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    if (!(await install(folder, 'typescript@5.0.4'))) {
      t.comment('skipped: the registry cannot be reached, so TypeScript 5.0 cannot be installed')
      return undefined
    }
    installedOldest = folder
  }
  return createRequire(join(installedOldest, 'package.json'))('typescript')
}

/** Libraries that only operators need are not loaded by a server that was not asked for metrics. */
async function loadsMetricsLate(t: Test, folder: string): Promise<void> {
  const program = `
    const { createVault } = require('@surrogate/server')
    const isLoaded = () => Object.keys(require.cache).some(path => /prom-client|@opentelemetry/.test(path))
    const open = async options => {
      const vault = createVault(options)
      await vault.createTenant()
      await vault.fetch('http://x/readyz')
      await vault.close()
      return isLoaded()
    }
    open({}).then(async before => console.log(before, await open({ metrics: true })))`
  await writeFile(join(folder, 'late.cjs'), program)
  const { stdout } = await execute(process.execPath, ['late.cjs'], { cwd: folder })
  t.equal(stdout.trim(), 'false true')
}

/** Runs a linter for packages. */
const lint = (program: string, ...args: string[]) =>
  execute(process.execPath, [join(root, 'node_modules/.bin', program), ...args], { cwd: root })

const place = mkdtempSync(join(tmpdir(), 'surrogate-pack-'))
t.teardown(() => rm(place, { recursive: true, force: true }))

/** Packs all packages. Resolves with the tarball of each. */
async function pack(folder: string): Promise<ReadonlyMap<string, string>> {
  const workspaces = packages.flatMap(([name]) => ['-w', name])
  await execute(npm, ['pack', '--pack-destination', folder, '--ignore-scripts', ...workspaces], { cwd: root })
  const tarballs = await readdir(folder)
  return new Map(
    packages.map(([name]) => [
      name,
      join(folder, tarballs.find(one => new RegExp(`^surrogate-${name}-.*\\.tgz$`).test(one)) ?? ''),
    ]),
  )
}

let packed: Promise<ReadonlyMap<string, string>> | undefined

for (const [name, files, use] of packages) {
  t.test(
    `@surrogate/${name} passes the linters of packages, and can be installed and used alone`,
    async t => {
      packed ??= pack(place)
      const tarball = (await packed).get(name) ?? ''
      const { size } = await stat(tarball)
      t.ok(size <= mostPackedBytes, `${size} bytes packed`)
      // The SDK has tests of its own.
      if (name !== 'sdk') {
        await lint('publint', '--strict', tarball)
        // It does not know that Node's `require` of an ES module marks a default export.
        const known = ['--ignore-rules', 'false-export-default']
        await lint('attw', tarball, '--profile', 'strict', ...known)
      }

      const folder = await mkdtemp(join(tmpdir(), 'surrogate-installed-'))
      t.teardown(() => rm(folder, { recursive: true, force: true }))
      await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
      if (!(await install(folder, tarball))) {
        t.comment('skipped: the registry cannot be reached, so the dependencies cannot be installed')
        return
      }
      const installed = join(folder, 'node_modules', '@surrogate', name)
      // As every text says: a package with a scope, whose only program npx runs.
      if (name !== 'sdk') await runsByNpx(t, folder, name)
      for (const file of files) t.ok(await readFile(join(installed, file)), file)
      const all = await readdir(installed, { recursive: true })
      t.notOk(
        all.some(file => /\.test\.|(^|\/)testing\/.*(?<!\.d\.ts)$/.test(file)),
        'the package contains no tests',
      )

      await writeFile(join(folder, 'use.mjs'), use)
      const { stdout } = await execute(process.execPath, ['use.mjs'], { cwd: folder })
      t.equal(stdout.trim(), 'abc')
      if (name !== 'sdk') await isRequired(t, folder, use)
      if (name === 'server') await loadsMetricsLate(t, folder)
      if (name === 'server') await usesMsw(t, folder)
      await hasTypesEverywhere(t, name, folder)
      if (name === 'conformance') await runsTheSuite(t, folder)
    },
  )
}
