// In a process of its own: it takes long.
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { runsTheSuite } from '../conformance/selftest/_installed.ts'

/**
 * Packs each package as for publishing, installs it alone into an empty folder, and uses it there. A package contains
 * all that it needs of the others.
 */
const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

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

/** A test dependency should be small to install. */
const mostPackedBytes = 1_000_000

const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']

/** Installs packages. Resolves with false if the registry cannot be reached. */
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
  // The version that our own tests use.
  const { version } = JSON.parse(await readFile(join(root, 'node_modules/msw/package.json'), 'utf8'))
  if (await install(folder, `msw@${version}`)) t.equal(await run(), '200', 'with msw')
  else t.comment('skipped: the registry cannot be reached, so msw cannot be installed')
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
      await lint('publint', '--strict', join(root, name))
      // The packages are ES modules; Node 20.19 and later can `require` those too.
      await lint('attw', tarball, '--profile', 'esm-only')

      const folder = await mkdtemp(join(tmpdir(), 'surrogate-installed-'))
      t.teardown(() => rm(folder, { recursive: true, force: true }))
      await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
      if (!(await install(folder, tarball))) {
        t.comment('skipped: the registry cannot be reached, so the dependencies cannot be installed')
        return
      }
      const installed = join(folder, 'node_modules', '@surrogate', name)
      for (const file of files) t.ok(await readFile(join(installed, file)), file)
      const all = await readdir(installed, { recursive: true })
      t.notOk(
        all.some(file => /\.test\.|(^|\/)testing\//.test(file)),
        'the package contains no tests',
      )

      await writeFile(join(folder, 'use.mjs'), use)
      const { stdout } = await execute(process.execPath, ['use.mjs'], { cwd: folder })
      t.equal(stdout.trim(), 'abc')
      if (name === 'server') await usesMsw(t, folder)
      if (name === 'conformance') await runsTheSuite(t, folder)
    },
  )
}
