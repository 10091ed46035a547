// In a process of its own: it takes long.
// Only in CI: it packs, installs runtimes of 300 MB, and starts them and a browser.
/** One program with the packed client in each runtime that the README names beside Node and pages of browsers. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import type { VaultOptions } from '../server/src/options/vault-options.ts'
import { openBrowser, withoutChromium } from '../server/verify/support/chromium.ts'
import { afterInstalling, installRunners, runNpm, timeout } from '../server/verify/support/install-runners.ts'
import { openVault } from '../server/verify/support/vault.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'surrogate-runtimes-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const whenInstalled = afterInstalling(async () => {
  await runNpm(root, ['pack', '--ignore-scripts', '--pack-destination', folder, '-w', 'sdk'])
  const packed = (await readdir(folder)).filter(name => name.endsWith('.tgz')).map(name => join(folder, name))
  // Later releases of workerd have 40 MB more.
  return installRunners(folder, ['deno@^2', 'bun@^1', 'workerd@1.20251011.0', ...packed])
})

/** Imported by the program of each runtime. What `use` resolves with is the same in all. */
const used = `
import { NotFoundError, Surrogate, webhooks } from '@surrogate/sdk'

const nameOf = call => call.then(() => 'none', error => error.name)

export async function use({ baseUrl, apiKey, secret }) {
  const options = { apiKey, baseUrl, dangerouslyAllowBrowser: true }
  const { tokens } = new Surrogate(options)
  const made = []
  for (const number of ['4242424242424242', '5555555555554444'])
    made.push(await tokens.create({ type: 'card', data: { number } }))
  const listed = []
  for await (const { id } of tokens.list({ size: 1 })) listed.push(id)
  const { data, retries } = await tokens.get(made[0].id).withResponse()
  const missing = await tokens.get('none').catch(error => error)
  const headers = await webhooks.sign('{"raw":1}', secret)
  return {
    number: data.data.number,
    retries,
    listed: listed.length === 2 && made.every(({ id }) => listed.includes(id)),
    missing: [missing.name, missing instanceof NotFoundError, missing.status, typeof missing.traceId],
    aborted: await nameOf(tokens.get('none', { signal: AbortSignal.abort() })),
    lost: await nameOf(new Surrogate({ ...options, baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).tokens.list()),
    delivered: await webhooks.verify('{"raw":1}', headers, secret),
    forged: await nameOf(webhooks.verify('{"raw":2}', headers, secret)),
  }
}
`
const expected = {
  number: '4242424242424242',
  retries: 1,
  listed: true,
  missing: ['NotFoundError', true, 404, 'string'],
  aborted: 'AbortError',
  lost: 'ConnectionError',
  delivered: { raw: 1 },
  forged: 'WebhookVerificationError',
}

/** Opens a vault whose first response is lost, and which fails once. Returns the argument of `use`, as code. */
async function openFor(t: Test, options: VaultOptions = {}): Promise<string> {
  const vault = openVault(t, options)
  const { privateKey: apiKey, webhookSecret: secret } = await vault.createTenant()
  const { url: baseUrl } = await vault.listen()
  await vault.dev.faults.next({ operation: 'tokens.create', drop: 'after' })
  await vault.dev.faults.next({ operation: 'tokens.get', status: 503 })
  return JSON.stringify({ baseUrl, apiKey, secret })
}

/** Returns the program of a runtime, which npm installs for this platform alone. */
async function installed(scope: string, name: string): Promise<string | undefined> {
  const place = join(folder, 'node_modules', scope)
  const found = await readdir(place, { recursive: true }).catch(() => [])
  const path = found.find(path => new RegExp(`(^|[/\\\\])${name}(\\.exe)?$`).test(path))
  return path && join(place, path)
}

const prints = (argument: string) => `console.log(JSON.stringify(await use(${argument})))`

/** How each runtime is started with a module, and what it needs beside it. */
const runtimes = [
  { name: 'node', args: ['node.mjs'] },
  { name: 'deno', scope: '@deno', args: ['run', '--no-prompt', '--allow-net=127.0.0.1', 'deno.mjs'] },
  { name: 'bun', scope: '@oven', args: ['run', 'bun.mjs'] },
  { name: 'workerd', scope: '@cloudflare', args: ['test', 'workerd.capnp'] },
]

/** The runtime of Cloudflare's workers, which gets a bundle. */
const capnp = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "internet", network = (allow = ["private", "local"])),
  (name = "main", worker = (
    modules = [(name = "workerd.mjs", esModule = embed "workerd.bundle.mjs")],
    compatibilityDate = "2025-10-01",
  )),
]);`

for (const { name, scope, args } of runtimes) {
  whenInstalled(name, async t => {
    const program = scope === undefined ? process.execPath : await installed(scope, name)
    if (program === undefined)
      return void t.pass('not tried', { skip: `the package ${name} has no program for this platform` })
    const print = prints(await openFor(t))
    const main = name === 'workerd' ? `export default { async test() { ${print} } }` : print
    const entry = join(folder, `${name}.mjs`)
    await writeFile(join(folder, 'used.mjs'), used)
    await writeFile(entry, `import { use } from './used.mjs'\n${main}`)
    if (name === 'workerd') {
      await writeFile(join(folder, 'workerd.capnp'), capnp)
      const conditions = ['workerd', 'worker', 'browser']
      const outfile = join(folder, 'workerd.bundle.mjs')
      await build({
        entryPoints: [entry],
        outfile,
        bundle: true,
        format: 'esm',
        target: 'es2022',
        conditions,
      })
    }
    const { PATH = '' } = process.env
    const env = { PATH, HOME: folder, DENO_NO_UPDATE_CHECK: '1' }
    const { stdout } = await execute(program, args, { cwd: folder, env, timeout })
    t.same(JSON.parse(/^\{.*\}$/m.exec(stdout)?.[0] ?? 'null'), expected)
  })
}

/** Serves modules to a page: a worker, the program, and the installed client. Returns the origin. */
async function openPage(t: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(async ({ url = '' }, response) => {
    const [, path] = /^\/sdk\/([\w./-]+)$/.exec(url) ?? []
    const file = path && readFile(join(folder, 'node_modules/@surrogate/sdk/dist', path), 'utf8')
    const content = files[url] ?? (await file)
    response.setHeader('Content-Type', url.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.writeHead(content === undefined ? 404 : 200).end(content)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

whenInstalled(
  'a module worker of a page',
  async t => {
    const files: Record<string, string> = {
      '/': '<!doctype html>',
      '/used.js': used.replace("'@surrogate/sdk'", "'./sdk/index.js'"),
    }
    const origin = await openPage(t, files)
    const argument = await openFor(t, { corsOrigins: [origin] })
    files['/worker.js'] = `import { use } from './used.js'\npostMessage(await use(${argument}))`
    const page = await (await openBrowser(t)).newPage()
    await page.goto(origin)
    const result = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/worker.js', { type: 'module' })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(message))
        }),
    )
    t.same(result, expected)
  },
  withoutChromium,
)
