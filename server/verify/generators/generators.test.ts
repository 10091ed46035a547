// Only in CI: it needs packages that only CI installs.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { reactorOn } from '../support/reactors.ts'
import { openTenant, openVault } from '../support/vault.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const here = join(root, 'server/verify/generators')
const packages = join(here, 'node_modules')
/** They take 280 MB, so only `.ci/run` installs them. */
const isInstalled = existsSync(packages)
const options = isInstalled
  ? {}
  : { skip: 'the generators are not installed: npm ci --prefix server/verify/generators' }
const loader = `--import=${new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url)}`

/** The arguments of Node with which each generator makes `client.ts` or `client.py` from `openapi.yaml`. */
const generators: Readonly<Record<string, readonly string[]>> = {
  'openapi-fetch': ['openapi-typescript/bin/cli.js', 'openapi.yaml', '--output=client.ts'],
  'swagger-typescript-api': [
    'swagger-typescript-api/dist/cli.mjs',
    'generate',
    '--path=openapi.yaml',
    '--output=.',
    '--name=client.ts',
  ],
  oazapfts: ['oazapfts/dist/cli.js', 'openapi.yaml', 'client.ts'],
  orval: ['orval/dist/bin/orval.js', '--input=openapi.yaml', '--output=client.ts', '--client=fetch'],
  'openapi-zod-client': ['openapi-zod-client/bin.js', 'openapi.yaml', '--output=client.ts'],
}

/** What each program of `programs` prints. */
const expected = {
  created: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2099 },
  metadata: { order: 'A-1' },
  read: { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 },
  total: 1,
  found: 1,
  detokenized: { card: '4242424242424242' },
  reacted: { last: '4242' },
  refused: [404, 'There is nothing here'],
}

const node = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  run(process.execPath, [...args], { cwd, env })
const ofRoot = (path: string) => join(root, 'node_modules', path)

/** Makes a folder with the contract, programs, and the packages that they need. */
function folderWith(t: Test, ...programs: readonly string[]): string {
  const folder = t.testdir({ 'package.json': '{"type":"module"}' })
  copyFileSync(join(root, 'openapi.yaml'), join(folder, 'openapi.yaml'))
  for (const program of programs) copyFileSync(join(here, 'programs', program), join(folder, program))
  symlinkSync(packages, join(folder, 'node_modules'))
  return folder
}

/** Starts a server for a program, and returns its environment. */
async function environment(t: Test): Promise<NodeJS.ProcessEnv> {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const code = 'module.exports = async ({ args }) => ({ raw: { last: args.number.slice(-4) } })'
  const { id } = await reactorOn(tenant, code)
  return { PATH: process.env.PATH, URL: url, KEY: tenant.privateKey, REACTOR: id }
}

const tsc =
  '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --target es2023 --module preserve --types node'

for (const [name, [file = '', ...args]] of Object.entries(generators)) {
  t.test(`the client that ${name} makes compiles and works`, options, async t => {
    const program = `${name}.ts`
    const folder = folderWith(t, program)
    await node([join(packages, file), ...args], folder)
    const types = ['--typeRoots', ofRoot('@types')]
    await node([ofRoot('typescript/bin/tsc'), ...tsc.split(' '), ...types, program], folder)
    const { stdout } = await node([loader, program], folder, await environment(t))
    t.same(JSON.parse(stdout), expected)
  })
}

t.test("Spectral's rules for OpenAPI find nothing", options, async t => {
  const folder = folderWith(t)
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const lint = (file: string) =>
    node([join(packages, '@stoplight/spectral-cli/dist/index.js'), 'lint', file], folder).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout,
    )
  t.match(await lint('openapi.yaml'), /No results with a severity of 'error' found!/)
  t.notMatch(await lint('openapi.yaml'), /warning/)
  const broken = readFileSync(join(folder, 'openapi.yaml'), 'utf8').replace('          items: {}\n', '')
  writeFileSync(join(folder, 'broken.yaml'), broken)
  t.match(await lint('broken.yaml'), /array-items/, 'control')
})

t.test('the Python types that quicktype makes are those of requests and responses', options, async t => {
  const folder = folderWith(t, 'quicktype.ts', 'quicktype.py')
  await node([loader, 'quicktype.ts'], folder)
  const { stdout } = await run('python3', ['quicktype.py'], { cwd: folder, env: await environment(t) })
  t.same(JSON.parse(stdout), expected)
})
