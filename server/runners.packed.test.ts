// In a process of its own: it takes long.
// Only in CI: it packs, installs test runners, and starts them.
/**
 * What an application's tests do with a vault in process, under each test runner and in each environment that the
 * README of the SDK names, from the packed packages. A runner may have another realm or another console than the process, and
 * an environment may lack what Node has.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { afterInstalling, installRunners, runNpm, timeout } from './verify/support/install-runners.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'surrogate-packed-runners-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const installations: Readonly<Record<string, readonly string[]>> = {
  now: ['vitest@^4', 'jest@^30', 'jest-environment-jsdom@^30', 'jsdom@^29', 'happy-dom@^20'],
  before: ['jest@^29', 'jest-environment-jsdom@^29'],
}

async function install(): Promise<string | false> {
  for (const name of ['sdk', 'server'])
    await runNpm(root, ['pack', '--ignore-scripts', '--pack-destination', folder, '-w', name])
  const packed = (await readdir(folder)).filter(name => name.endsWith('.tgz')).map(name => join(folder, name))
  for (const [name, runners] of Object.entries(installations)) {
    const cwd = join(folder, name)
    await mkdir(cwd)
    const missing = await installRunners(cwd, [...runners, ...packed])
    if (missing) return missing
  }
  return false
}
const whenInstalled = afterInstalling(install)

/** Tests of an application. Those of `wrong` have to fail: they are the control. */
const cases = `
const number = '4242424242424242'
async function open() {
  const vault = createVault({ storage: 'memory:', dev: true })
  const tenant = await vault.dev.createTenant()
  const options = { apiKey: tenant.privateKey, baseUrl: 'http://vault', fetch: vault.fetch, dangerouslyAllowBrowser: true }
  return { vault, tenant, surrogate: new Surrogate(options) }
}
const must = (holds, what) => { if (!holds) throw new Error(what) }
const nameOf = call => call.then(() => 'none', error => error.name)

async function client() {
  const { vault, surrogate } = await open()
  const { id } = await surrogate.tokens.create({ type: 'card', data: { number } })
  must((await surrogate.tokens.get(id)).data.number === number, 'get')
  for await (const one of surrogate.tokens.list({ type: ['card'], metadata: undefined })) must(one.id === id, 'list')
  const missing = await surrogate.tokens.get('none').catch(error => error)
  must(missing instanceof NotFoundError && missing.name === 'NotFoundError', 'an error by its class')
  const controller = new AbortController()
  controller.abort()
  must((await nameOf(surrogate.tokens.get(id, { signal: controller.signal }))) === 'AbortError', 'abort')
  must((await nameOf(createVault({ storge: 1 }).ready())) === 'VaultOptionsError', 'an option')
  let refused = ''
  try { new Surrogate({ apiKey: 'key_pub_a', baseUrl: 'no url' }) } catch (error) { refused = error.message }
  must(/baseUrl/.test(refused), 'a base URL')
  if (globalThis.crypto?.subtle && globalThis.Blob?.prototype.arrayBuffer && typeof Response === 'function') {
    const secret = 'whsec_' + btoa('a secret')
    await webhooks.verify('{"raw":1}', await webhooks.sign('{"raw":1}', secret), secret)
  }
  await vault.close()
}

async function leaks() {
  const { vault, surrogate } = await open()
  await surrogate.tokens.create({ type: 'card', data: { number } })
  const watch = vault.dev.leaks.watch(process.stdout)
  console.log('paid by', number)
  must((await watch.end()).places.length > 0, 'the console is heard')
  must((await nameOf(vault.dev.leaks.watch(process.stdout).end())) === 'AssertionError', 'silence is refused')
  await vault.close()
}

async function requests() {
  const { vault, tenant, surrogate } = await open()
  const none = { operation: 'tokens.delete' }
  const unseen = vault.dev.forTenant(await vault.dev.createTenant()).requests
  must((await nameOf(unseen.assertNone(none))) === 'AssertionError', 'a tenant that sent nothing')
  await surrogate.tokens.create({ type: 'card', data: { number } })
  const { requests } = vault.dev.forTenant(tenant)
  await requests.assertNone(none)
  if (typeof expect === 'function') {
    await expect(requests).not.toHaveReceived(none)
    await expect(requests).toHaveReceived({ operation: 'tokens.create', times: 1 })
    must(/AssertionError|Error/.test(await nameOf(expect(unseen).not.toHaveReceived(none))), 'not, of nothing')
  }
  await vault.close()
}

async function wrong() {
  const { vault, surrogate } = await open()
  await surrogate.tokens.create({ type: 'card', data: { number } })
  const { requests } = vault.dev
  if (typeof expect === 'function') await expect(requests).not.toHaveReceived({ operation: 'tokens.create' })
  else await requests.assertNone({ operation: 'tokens.create' })
}
if (typeof expect === 'function') expect.extend(requestMatchers)
const all = process.env.WRONG ? { wrong } : { client, leaks, requests }
for (const [name, body] of Object.entries(all)) test(name, body)
`
const names = {
  '@surrogate/sdk': '{ NotFoundError, Surrogate, webhooks }',
  '@surrogate/server': '{ createVault, requestMatchers }',
}
const imported = Object.entries(names).map(([from, what]) => `import ${what} from '${from}'`)
const required = Object.entries(names).map(([from, what]) => `const ${what} = require('${from}')`)

const jest = (env: string) => ({
  file: 'one.test.cjs',
  code: [...required, cases].join('\n'),
  args: ['jest/bin/jest.js', '--testMatch', '**/one.test.cjs', '--testTimeout', `${timeout}`, '--env', env],
})
const vitest = (env: string) => ({
  file: 'one.test.mjs',
  code: ["import { expect, test } from 'vitest'", ...imported, cases].join('\n'),
  args: ['vitest/vitest.mjs', 'run', '--environment', env, '--testTimeout', `${timeout}`, 'one.test.mjs'],
})
const environments = [
  { name: 'jest 30, node', at: 'now', ...jest('node') },
  { name: 'jest 30, jsdom', at: 'now', ...jest('jsdom') },
  { name: 'jest 29, node', at: 'before', ...jest('node') },
  { name: 'jest 29, jsdom', at: 'before', ...jest('jsdom') },
  { name: 'vitest 4, node', at: 'now', ...vitest('node') },
  { name: 'vitest 4, jsdom', at: 'now', ...vitest('jsdom') },
  { name: 'vitest 4, happy-dom', at: 'now', ...vitest('happy-dom') },
  {
    name: 'node:test',
    at: 'now',
    file: 'node.test.mjs',
    code: ["import { test } from 'node:test'", ...imported, cases].join('\n'),
    args: ['--test', 'node.test.mjs'],
  },
]

for (const { name, at, file, code, args } of environments) {
  whenInstalled(name, async t => {
    const cwd = join(folder, at)
    await writeFile(join(cwd, file), code)
    const [first = '', ...rest] = args
    const program = first.startsWith('--') ? first : join(cwd, 'node_modules', first)
    const { PATH = '', HOME = '' } = process.env
    const run = (env: Record<string, string>) =>
      execute(process.execPath, [program, ...rest], {
        cwd,
        env: { PATH, HOME, CI: '1', ...env },
        timeout,
      }).then(
        ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
        ({ code, stdout, stderr }) => ({ code, printed: stdout + stderr }),
      )
    const passed = await run({})
    t.equal(passed.code, 0, passed.code === 0 ? 'the tests pass' : passed.printed)
    const failed = await run({ WRONG: '1' })
    t.not(failed.code, 0, 'control')
    t.match(failed.printed, /a request that should not be there|expected 0 requests to tokens\.create/)
  })
}
