// Only in CI: it packs and installs.
// In a process of its own: it packs and installs, which takes long.
/**
 * Packs the SDK once as for publishing, unpacks it as an installed package, and loads it by every module system, with
 * every resolution of TypeScript from the oldest supported version on.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type ts from 'typescript'
import { complaintsOf, complaintsOfDeclarations } from '../server/verify/support/resolutions.ts'

t.setTimeout(300_000)
t.comment('timeout=300000')
const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const require = createRequire(join(root, 'package.json'))

const folder = await mkdtemp(join(tmpdir(), 'surrogate-sdk-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const installed = join(folder, 'node_modules/@surrogate/sdk')
await execute(npm, ['pack', '--pack-destination', folder, '--ignore-scripts', '-w', 'sdk'], { cwd: root })
const tarball = join(folder, (await readdir(folder)).find(name => name.endsWith('.tgz')) ?? 'none')
await mkdir(installed, { recursive: true })
await execute('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])

/** Writes a program into the folder of the application and returns what it prints. */
async function run(name: string, code: string, ...flags: string[]): Promise<string> {
  await writeFile(join(folder, name), code)
  const { NODE_OPTIONS: _, ...env } = process.env
  return (await execute(process.execPath, [...flags, name], { cwd: folder, env })).stdout.trim()
}

const call = `
  const sdk = new Surrogate({ apiKey: 'k', baseUrl: 'http://x', fetch: async () => Response.json({ id: 'abc' }) })
  sdk.tokens.get('abc').then(token => console.log(token.id))`

t.test('the linters of packages have no complaint in any column', async t => {
  const lint = (program: string, ...args: string[]) =>
    execute(process.execPath, [join(root, 'node_modules/.bin', program), ...args], { cwd: root })
  await t.resolves(lint('publint', '--strict', tarball))
  await t.resolves(lint('attw', tarball, '--profile', 'strict'))
})

t.test('import and require load the client', async t => {
  const dev = "typeof new Dev({ baseUrl: 'http://x' }).clock.advance"
  t.equal(await run('dev.mjs', `import { Dev } from '@surrogate/sdk/dev'; console.log(${dev})`), 'function')
  t.equal(
    await run('dev.cjs', `const { Dev } = require('@surrogate/sdk/dev'); console.log(${dev})`),
    'function',
  )
  t.equal(await run('use.mjs', `import { Surrogate } from '@surrogate/sdk'; ${call}`), 'abc')
  t.equal(await run('use.cjs', `const { Surrogate } = require('@surrogate/sdk'); ${call}`), 'abc')
  // As on a Node that cannot require ES modules, and as in jest, which has its own loader.
  t.equal(
    await run(
      'use.cjs',
      `const { Surrogate } = require('@surrogate/sdk'); ${call}`,
      ...(process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
        ? ['--no-experimental-require-module']
        : []),
    ),
    'abc',
  )
})

t.test('classes are printed by their own names', async t => {
  const print = `
    const { inspect } = require('node:util')
    const sdk = require('@surrogate/sdk')
    const { Dev } = require('@surrogate/sdk/dev')
    const surrogate = new sdk.Surrogate({ apiKey: 'k', baseUrl: 'http://x' })
    const shown = [surrogate, surrogate.withSession('k'), surrogate.tokens, surrogate.tokens.list(), new Dev({ baseUrl: 'http://x' })]
    const names = shown.map(one => inspect(one).split(' ')[0])
    const wrong = Object.entries(sdk).filter(([name, value]) => typeof value === 'function' && value.name !== name)
    console.log(names.join(), wrong.map(([name]) => name).join())`
  t.equal(await run('names.cjs', print), 'Surrogate,Surrogate,IterableTokens,Pages,Dev')
})

t.test('import and require share one state', async t => {
  const mixed = `
    import * as imported from '@surrogate/sdk'
    import { createRequire } from 'node:module'
    const required = createRequire(import.meta.url)('@surrogate/sdk')
    const fetch = async () => new Response(null, { status: 404 })
    const client = new required.Surrogate({ apiKey: 'k', baseUrl: 'http://x', fetch })
    const error = await client.tokens.get('abc').catch(error => error)
    const names = Object.keys(required)
    console.log(error instanceof imported.NotFoundError, names.length > 20,
      names.every(name => imported[name] === required[name]))`
  t.equal(await run('mixed.mjs', mixed), 'true true true')
})

t.test('the ES modules for bundlers export what the others do', async t => {
  const modules = await import(pathToFileURL(join(installed, 'dist/index.js')).href)
  const common = require(join(installed, 'dist/cjs/index.js'))
  t.same(Object.keys(modules).sort(), Object.keys(common).sort())
})

/** Would not compile if a type of the package were not found, or had become `any`. */
const consumer = `
  import { NotFoundError, Surrogate, webhooks } from '@surrogate/sdk'
  import type { Card, CreateTokenRequest, Pages, RequestOptions, SurrogateOptions, Token } from '@surrogate/sdk'
  type IsAny<T> = 0 extends 1 & T ? true : false
  function never<T>(isAny: IsAny<T>) { return isAny }
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
  }`

function compiles(t: Test, compiler: typeof ts, settings = {}): void {
  const complaints = complaintsOf(compiler, { folder, code: consumer, settings })
  for (const [name, found] of Object.entries(complaints))
    t.same(found, [], `TypeScript ${compiler.version}, ${name}`)
}

t.test('TypeScript finds the types by every resolution', async t => {
  compiles(t, require('typescript'))
  t.equal(await complaintsOfDeclarations({ folder, code: consumer }), '')
  const code = consumer.replace("'4'", '4')
  const wrong = complaintsOf(require('typescript'), { folder, code, only: 'node10' })
  t.match(wrong.node10, [/number/], 'control: a wrong type is seen')
  const complaints = await complaintsOfDeclarations({ folder, code })
  for (const file of ['use.cts', 'use.mts']) t.match(complaints, new RegExp(`${file}.*(\\n .*)*number`, 'm'))
})

t.test('the oldest supported TypeScript finds them too', async t => {
  const old = join(folder, 'old')
  await mkdir(old)
  await writeFile(join(old, 'package.json'), '{"private":true}')
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']
  const failure: unknown = await execute(npm, ['install', ...flags, 'typescript@5.0.4'], { cwd: old }).then(
    () => undefined,
    error => error,
  )
  if (failure) {
    const reason = String((failure as { stderr?: string }).stderr ?? failure)
    if (!/ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(reason)) throw failure
    t.comment('skipped: the registry cannot be reached, so TypeScript 5.0 cannot be installed')
    return
  }
  // It may not even parse the declarations.
  compiles(t, createRequire(join(old, 'package.json'))('typescript'), { skipLibCheck: false })
})

t.test('the package contains what its README promises, and no tests', async t => {
  const files = await readdir(installed, { recursive: true })
  for (const file of ['openapi.yaml', 'LICENSE', 'README.md', 'CHANGELOG.md', 'dist/index.js.map'])
    t.ok(await readFile(join(installed, file)), file)
  for (const file of files.filter(name => name.endsWith('.md'))) {
    const text = await readFile(join(installed, file), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      t.ok(files.includes(join(file, '..', link)), `${file} links to ${link}`)
  }
  t.notOk(files.some(file => /\.test\.|(^|\/)testing\//.test(file)))
})
