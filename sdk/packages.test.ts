// Only in CI: it packs and installs.
// In a process of its own: it packs and installs, which takes long.
/** What `server/packages.test.ts` shows of no other package: the SDK, as it is published, has two module systems. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

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
async function run(name: string, code: string): Promise<string> {
  await writeFile(join(folder, name), code)
  return (await execute(process.execPath, [name], { cwd: folder })).stdout.trim()
}

t.test('import and require load the parts of the client', async t => {
  const dev = "typeof new Dev({ baseUrl: 'http://x' }).clock.advance"
  t.equal(await run('dev.mjs', `import { Dev } from '@surrogate/sdk/dev'; console.log(${dev})`), 'function')
  t.equal(
    await run('dev.cjs', `const { Dev } = require('@surrogate/sdk/dev'); console.log(${dev})`),
    'function',
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
