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
import { consumers } from './verify/support/consumers.ts'
import { installRunners, runNpm } from './verify/support/install-runners.ts'
import { complaintsOf, complaintsOfDeclarations } from './verify/support/resolutions.ts'

/**
 * Packs each package as for publishing, installs it alone into an empty folder, and uses it there. A package contains
 * all that it needs of the others.
 */
const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx'

const packages: readonly [name: string, files: readonly string[], use: string][] = [
  [
    'sdk',
    [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/index.js.map',
      'openapi.yaml',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
    ],
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

/** A test dependency should be small to install. The script of the documentation page is 995,000 of them, the modules of Node for formulas 60,000. */
const mostPackedBytes = 2_090_000

/** Installs a package. Resolves with false if the registry cannot be reached. */
const installs = async (folder: string, what: string, manifest = {}) =>
  (await installRunners(folder, [what], manifest, [])) === false

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

const require = createRequire(import.meta.url)

/** Checks that the links in the texts of a package lead to files of it. */
async function linksLead(t: Test, installed: string, files: readonly string[]): Promise<void> {
  for (const file of files.filter(name => name.endsWith('.md'))) {
    const text = await readFile(join(installed, file), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      t.ok(files.includes(join(file, '..', link)), `${file} links to ${link}`)
  }
}

/** Loads an installed package by `require`; that of the SDK also where Node cannot require ES modules, as in jest. */
async function isRequired(t: Test, folder: string, use: string, isCommonJs: boolean): Promise<void> {
  const required = use.replace(/import (\{.+\}) from ('.+')/, 'const $1 = require($2)')
  await writeFile(join(folder, 'use.cjs'), `(async () => {${required}})()`)
  const { NODE_OPTIONS: _, ...env } = process.env
  const run = (...flags: string[]) => execute(process.execPath, [...flags, 'use.cjs'], { cwd: folder, env })
  t.match(await run(), { stdout: /^abc\n$/, stderr: /^$/ }, 'by require')
  if (!process.allowedNodeEnvironmentFlags.has('--experimental-require-module')) return
  const other = await run('--no-experimental-require-module').catch(error => error)
  if (isCommonJs) t.match(other, { stdout: /^abc\n$/ })
  else
    t.match(
      other.stderr,
      /^Error: @surrogate\/\w+ is an ES module, and this Node cannot require those: use .+$/m,
    )
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
    if (!(await installs(folder, 'typescript@5.0.4'))) {
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
  await runNpm(root, ['pack', '--pack-destination', folder, '--ignore-scripts', ...workspaces])
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
  t.test(`@surrogate/${name} passes linters of packages, and can be installed and used alone`, async t => {
    packed ??= pack(place)
    const tarball = (await packed).get(name) ?? ''
    const { size } = await stat(tarball)
    t.ok(size <= mostPackedBytes, `${size} bytes packed`)
    await lint('publint', '--strict', tarball)
    // It does not know that Node's `require` of an ES module marks a default export.
    const known = name === 'sdk' ? [] : ['--ignore-rules', 'false-export-default']
    await lint('attw', tarball, '--profile', 'strict', ...known)

    const folder = await mkdtemp(join(tmpdir(), 'surrogate-installed-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    if (!(await installs(folder, tarball, { name: 'empty', type: 'module' }))) {
      t.comment('skipped: the registry cannot be reached, so the dependencies cannot be installed')
      return
    }
    const installed = join(folder, 'node_modules', '@surrogate', name)
    // As every text says: a package with a scope, whose only program npx runs.
    if (name !== 'sdk') await runsByNpx(t, folder, name)
    for (const file of files) t.ok(await readFile(join(installed, file)), file)
    const all = await readdir(installed, { recursive: true })
    const found = all.some(file => /\.test\.|(^|\/)testing\/.*(?<!\.d\.ts)$/.test(file))
    t.notOk(found, 'the package contains no tests')
    if (name === 'sdk') await linksLead(t, installed, all)

    await writeFile(join(folder, 'use.mjs'), use)
    const { stdout } = await execute(process.execPath, ['use.mjs'], { cwd: folder })
    t.equal(stdout.trim(), 'abc')
    await isRequired(t, folder, use, name === 'sdk')
    if (name === 'server') await loadsMetricsLate(t, folder)
    if (name === 'server') await usesMsw(t, folder)
    await hasTypesEverywhere(t, name, folder)
    if (name === 'conformance') await runsTheSuite(t, folder)
  })
}
