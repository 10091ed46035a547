// Only in CI: it starts servers, as the guide says.
// In a process of its own: it starts servers, as the guide says.
/**
 * Runs every example of the README files and the guide as printed. Only what belongs to the machine of a reader is put in
 * its place: ports, folders of the system, keys that are left out (`…`), and programs that manage a machine, which are
 * recorded instead of run.
 */
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { readConfig } from '../conformance/src/config.ts'
import type { JsonValue } from './src/base/json/json.ts'
import { commands } from './src/program/commands/table.ts'
import { runFormula } from './src/run-formula.ts'
import { createVault } from './src/vault.ts'
import { programArguments, startProcess } from './verify/support/process.ts'
import { runHere } from './verify/support/run-here.ts'
import { runShown } from './verify/support/shown-tests.ts'
import { onPostgresOnly, openTestDatabase } from './verify/support/storage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const guide = readdirSync(join(root, 'server/guide')).map(name => `server/guide/${name}`)
const pages = [
  'README.md',
  'server/README.md',
  ...guide,
  'server/src/crypto/README.md',
  'conformance/README.md',
  'conformance/GUIDE.md',
  'sdk/README.md',
]

interface Example {
  readonly page: string
  readonly language: string
  readonly code: string
}

const examples: readonly Example[] = pages.flatMap(page => {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', code = '']) => ({
      page,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
})

/** The key of the store that the shell examples use, and the one of a rotation or copy. */
const [key, newKey] = [randomBytes(32), randomBytes(32)].map(bytes => bytes.toString('base64')) as [
  string,
  string,
]

/** Programs that manage the machine. They are recorded instead of run. */
const managing = ['createdb', 'docker', 'kubectl', 'npm', 'open', 'psql', 'systemctl', 'useradd']

/** Runs the program under its names. A server ends when it listens. */
const starter = `
import { spawn } from 'node:child_process'
let [name, ...args] = process.argv.slice(2)
if (name === 'npx') name = args.shift()
if (name === '@surrogate/conformance') args.push('--print-config')
else if (!['@surrogate/server', 'surrogate-server'].includes(name)) throw new Error('npx would run ' + name)
const isServer = name !== '@surrogate/conformance' && !/^[a-z]/.test(args[0] ?? '-')
if (isServer) args = [...args.filter((one, at) => one !== '--port' && args[at - 1] !== '--port'), '--port', '0']
const program = JSON.parse(process.env[name === '@surrogate/conformance' ? 'SUITE' : 'PROGRAM'])
const child = spawn(process.execPath, [...program, ...args], { stdio: ['inherit', 'pipe', 'inherit'] })
child.stdout.on('data', text => {
  process.stdout.write(text)
  if (isServer && /listening on/.test(text)) child.kill()
})
child.on('close', code => { process.exitCode = code })
`

function makeMachine(t: Test): string {
  const folder = t.testdir()
  for (const path of ['bin', 'etc/systemd/system', 'var/lib', 'backups', 'global/@surrogate', 'logs'])
    mkdirSync(join(folder, path), { recursive: true })
  const script = (name: string, text: string) => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  const [bootstrap = ''] = codesOf('server/guide/configure.md', 'json')
  writeFileSync(join(folder, 'bin/starter.mjs'), starter)
  for (const name of ['npx', 'surrogate-server'])
    script(name, `exec '${process.execPath}' '${folder}/bin/starter.mjs' ${name} "$@"`)
  for (const name of managing) script(name, `echo "${name} $*" >> '${folder}/recorded'`)
  script('npm', `[ "$1" = root ] && echo '${folder}/global' || echo "npm $*" >> '${folder}/recorded'`)
  script('install', `exec /usr/bin/install $(echo " $*" | sed 's/ -g surrogate//')`)
  symlinkSync(join(root, 'server'), join(folder, 'global/@surrogate/server'))
  writeFileSync(join(folder, 'tenants.json'), bootstrap)
  for (const name of ['telemetry.mjs', 'master-key.mjs']) writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'dump.sql'), 'select 1;\n')
  return folder
}

const codesOf = (page: string, language: string) =>
  examples.filter(one => one.page === page && one.language === language).map(({ code }) => code)

/** Why an example cannot be run here, by a text that it contains. */
const elsewhere: readonly (readonly [contains: string, reason: string])[] = [
  ...(onPostgresOnly.skip === undefined ? [] : [['postgres://', onPostgresOnly.skip] as const]),
  ['remove-tenant', 'it needs that tenant: remove-tenant.test.ts removes one'],
  ['psql ', 'it needs Citus: npm run verify -- citus runs these commands'],
  ['shared_preload_libraries', 'it is the configuration of PostgreSQL with Citus'],
  ['alias/surrogate', 'it needs a key management service: guide.kms.test.ts runs its program'],
]

t.test('shell examples', async t => {
  for (const [at, { page, code }] of examples.filter(one => one.language === 'sh').entries()) {
    const reason = elsewhere.find(([contains]) => code.includes(contains))?.[1]
    await t.test(`${page} ${at}: ${code.split('\n')[0]}`, { skip: reason ?? false }, t =>
      runsInShell(t, code),
    )
  }
})

async function runsInShell(t: Test, code: string): Promise<void> {
  const folder = makeMachine(t)
  const server = startProcess(t, ['--dev', '--port', '0', '--storage', 'memory:'])
  const { url } = await server.ready()
  const [, privateKey = ''] = await server.printed(/private key +(\S+)\n/)
  const [, managementKey = ''] = await server.printed(/management key +(\S+)\n/)
  // Something to search for.
  const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'a value to search for' })
  if (code.includes(' leaks ')) t.ok((await fetch(`${url}/tokens`, { method: 'POST', headers, body })).ok)
  if (code.includes('/var/lib/surrogate') && !code.includes('--bootstrap') && !code.includes('useradd')) {
    const store = startProcess(t, ['--port', '0', '--storage', `level:${folder}/var/lib/surrogate`], {
      SURROGATE_MASTER_KEY: key,
    })
    await store.ready()
    await store.end()
  }
  const database = code.includes('postgres://') ? await openTestDatabase(t) : ''
  if (code.includes(' copy ')) await runHere(['migrate'], { SURROGATE_STORAGE: database })
  const text = code
    .replaceAll(/postgres:\/\/[^\s']+/g, () => database)
    .replaceAll(/(?<=[\s:='"]|^)(?=\/(?:var|etc|backups)\b)/gm, folder)
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll('2026-01-31', new Date().toISOString().slice(0, 10))
    .replaceAll(/SURROGATE_MASTER_KEY=(?:…|<.+?>)/g, `SURROGATE_MASTER_KEY=${key}`)
    .replaceAll(/SURROGATE_NEW_MASTER_KEY=<.+?>/g, `SURROGATE_NEW_MASTER_KEY=${newKey}`)
    .replaceAll('SURROGATE_MANAGEMENT_KEY=…', `SURROGATE_MANAGEMENT_KEY=${managementKey}`)
    .replaceAll('key_prv_…', privateKey)
    .replaceAll(/(?<=--(?:base-url|private-key|other-private-key) )…/g, 'http://127.0.0.1:1')
  t.notMatch(text.replaceAll(/#.*$/gm, ''), /…|<the /, 'everything that is left out has its value')
  const { PATH = '', HOME = '' } = process.env
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-e', '-c', `${text}\nwait`], {
    cwd: folder,
    env: {
      PATH: `${folder}/bin:${PATH}`,
      HOME,
      SURROGATE_MASTER_KEY: key,
      PROGRAM: JSON.stringify(programArguments()),
      SUITE: JSON.stringify([join(root, 'conformance/bin/surrogate-conformance.js')]),
    },
  })
  t.notMatch(stderr, /not found|No such file|surrogate-(server|conformance): /, stderr)
  const recorded = existsSync(join(folder, 'recorded')) ? readFileSync(join(folder, 'recorded'), 'utf8') : ''
  if (recorded !== '') t.comment(`not run here: ${recorded.trim().replaceAll('\n', '; ')}`)
  t.ok(stdout !== '' || recorded !== '' || /^(export|openssl)/m.test(text), 'something has run')
  const unit = join(folder, 'etc/systemd/system/surrogate.service')
  if (existsSync(unit)) checkUnit(t, readFileSync(unit, 'utf8'))
}

t.test('the lines for crontab work in the environment of cron', async t => {
  const [lines = ''] = codesOf('server/guide/back-up.md', '')
  const [, path = '', line = ''] = /^PATH=(.+)\n0 3 \* \* \* (.+)\n$/.exec(lines) ?? []
  const folder = makeMachine(t)
  const program = [process.execPath, ...programArguments()].map(word => `'${word.replaceAll("'", `'\\''`)}'`)
  writeFileSync(
    join(folder, 'bin/surrogate-server'),
    `#!/bin/sh\ncd '${root}'\nexec ${program.join(' ')} "$@"\n`,
  )
  const store = startProcess(t, ['--port', '0', '--storage', `level:${folder}/var/lib/surrogate`], {
    SURROGATE_MASTER_KEY: key,
  })
  await store.ready()
  const isRoot = process.getuid?.() === 0
  const command = line
    .replaceAll('\\%', '%')
    .replaceAll(/(?<=[\s:]|^)(?=\/(?:var|etc|backups)\b)/gm, folder)
    .replace('runuser -u surrogate -- ', isRoot ? 'runuser -u root -- ' : '')
  const run = () =>
    promisify(execFile)('env', [
      ...['-i', `PATH=${folder}/bin:${path}`, 'HOME=/', 'LOGNAME=root', 'SHELL=/bin/sh'],
      ...['/bin/sh', '-c', command],
    ])
  await t.rejects(run(), 'without the file of the unit, the control')
  mkdirSync(join(folder, 'etc/surrogate'))
  writeFileSync(join(folder, 'etc/surrogate/environment'), `SURROGATE_MASTER_KEY=${key}\n`)
  const { stdout } = await run()
  t.match(stdout, /records of 0 tenants, read back and equal\n$/)
  t.equal(readdirSync(join(folder, 'backups')).length, 1)
})

/** The unit that the guide installs names programs that are there, wherever npm puts them. */
function checkUnit(t: Test, unit: string): void {
  const [, node = '', program = ''] = /^ExecStart=(\S+) (\S+)$/m.exec(unit) ?? []
  t.ok(existsSync(node), `ExecStart: ${node}`)
  t.ok(existsSync(program), `ExecStart: ${program}`)
  const analyze = '/usr/bin/systemd-analyze'
  if (!existsSync(analyze)) {
    t.comment('systemd-analyze is not installed: the unit is not verified')
    return
  }
  const file = join(t.testdir(), 'surrogate.service')
  // Its user is not on this machine.
  writeFileSync(file, unit.replace(/^(User|Group)=.*/gm, '$1=root'))
  t.equal(spawnSync(analyze, ['verify', file], { encoding: 'utf8' }).stderr, '')
  writeFileSync(file, unit.replace(/^ExecStart=.*/m, 'ExecStart=/none/surrogate-server'))
  t.match(spawnSync(analyze, ['verify', file], { encoding: 'utf8' }).stderr, /not executable/, 'control')
}

t.test('JSON examples', async t => {
  const all = examples.filter(({ language }) => language === 'json')
  t.ok(all.length >= 3)
  const lines: Record<string, unknown>[] = []
  const info = (event: string, fields: object = {}) =>
    void lines.push({ time: '', level: 'info', event, ...fields })
  for (const { page, code } of all) {
    const json = JSON.parse(code) as Record<string, JsonValue>
    if ('tenants' in json) {
      const vault = createVault({ bootstrap: json, log: { info, warn: info, error: info } })
      const [application] = (json.tenants as { applications: { key: string }[] }[]).flatMap(
        one => one.applications,
      )
      const response = await vault.fetch('http://vault/tokens', {
        headers: { 'SVC-API-KEY': application?.key ?? '' },
      })
      t.equal(response.status, 200, `${page}: the application of the file can read`)
      await vault.close()
    }
  }
  const printed = all.map(({ code }) => JSON.parse(code)).find(({ event }) => event === 'request')
  const logged = lines.find(({ event }) => event === 'request') ?? {}
  const left = Object.keys(printed).filter(name => !['peer'].includes(name) && !(name in logged))
  t.same(left, [], 'a line of the log')
})

t.test('YAML examples', async t => {
  const all = examples.filter(({ language }) => language === 'yaml')
  for (const { page, code } of all) t.type(parse(code), 'object', page)
  const read = (name: string, code: string | undefined) => {
    const folder = t.testdir({ [name]: code ?? '' })
    return readConfig([`--${basename(name, '.yaml')}`, join(folder, name)], {})
  }
  const [target] = codesOf('conformance/README.md', 'yaml')
  t.same(read('target.yaml', target).claims, ['tokens', 'types', 'search'])
  const [expected] = codesOf('conformance/GUIDE.md', 'yaml')
  t.same(read('expected.yaml', expected).expected, { 'TOK-035': 'deduplication comes in version 2' })
})

/** What a reader has before an example begins. Names that the example declares are left out. */
const prelude = `
  import assert from 'node:assert/strict'
  import { createReadStream } from 'node:fs'
  import * as ofSdk from '@surrogate/sdk'
  import * as ofServer from '@surrogate/server'
  const given = await (async () => {
    const vault = ofServer.createVault({ dev: true, storage: 'memory:' })
    const tenant = await vault.dev.createTenant()
    const dev = vault.dev.forTenant(tenant)
    const client = apiKey => new ofSdk.Surrogate({ apiKey, baseUrl: 'http://vault', fetch: vault.fetch })
    const manage = client(tenant.managementKey)
    const surrogate = client(tenant.privateKey)
    const card = { type: 'card', data: { number: '4242424242424242' } }
    const formula = await manage.reactorFormulas.create({ name: 'a', type: 'private', code: 'module.exports = () => ({ raw: 1 })' })
    const charge = "module.exports = async () => { await fetch('https://api.example.com/v1/charges', { method: 'POST', body: '{\\"amount\\":1250}' }).catch(() => {}) ; return { raw: 1 } }"
    const charging = await manage.reactorFormulas.create({ name: 'b', type: 'private', code: charge })
    const charger = await manage.reactors.create({ name: 'b', formula: charging, configuration: {} })
    const application = { id: (await surrogate.tokens.create(card)).created_by }
    const reactor = await manage.reactors.create({ name: 'a', formula, application, configuration: {} })
    await surrogate.tokens.get('no-such-token').catch(() => {})
    const runTheApplication = async () => {
      for (let time = 0; time < 2; time++)
        await vault.fetch('http://vault/tokens', {
          method: 'POST',
          headers: { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' },
          body: JSON.stringify(card),
        })
      await surrogate.reactors.react(charger.id, { args: {} })
      console.log('paid')
    }
    return { vault, tenant, dev, surrogate, reactor, runTheApplication, app: vault, privateKey: tenant.privateKey }
  })()
`

const isIdentifier = (code: string, name: string) => new RegExp(`(?<![.\\w'"])${name}\\b`).test(code)

function asProgram(code: string, url: string): string {
  const declared = [...code.matchAll(/(?:const|let|import) (?:\{([^}]+)\}|(\w+))/g)].flatMap(
    ([, list, one]) =>
      (list ?? one ?? '').split(',').map(name =>
        name
          .trim()
          .replace(/^.*: /, '')
          .replace(/^type /, ''),
      ),
  )
  const needed = (name: string) => isIdentifier(code, name) && !declared.includes(name)
  const from = (source: string, names: readonly string[]) =>
    `const { ${names.filter(needed).join(', ')} } = ${source}\n`
  const names = ['vault', 'tenant', 'dev', 'surrogate', 'reactor', 'runTheApplication', 'app', 'privateKey']
  const ofGiven = from('given', names)
  const classes = from('ofSdk', ['Surrogate', 'items']) + from('ofServer', ['createVault', 'runFormula'])
  const own = code
    .replaceAll('http://127.0.0.1:4000', url)
    .replace('// … what your application does', 'await given.runTheApplication()')
  return `${prelude}${ofGiven}${classes}${own}\nconsole.log('ran to its end')\nprocess.exit()`
}

t.test('TypeScript examples', async t => {
  const shown = examples.filter(({ page, language }) => language === 'ts' && !/recipe-|^sdk/.test(page))
  t.ok(shown.length >= 12)
  const vault = createVault({ dev: true })
  t.teardown(() => vault.close())
  const [{ url }, { privateKey }] = [await vault.listen(), await vault.createTenant()]
  for (const [at, { page, code }] of shown.entries()) {
    await t.test(`${page} ${at}`, async t => {
      const cwd = t.testdir({ 'dump.sql': 'select 1;\n' })
      const environment = { SURROGATE_KEY: privateKey, SURROGATE_TEST_URL: url }
      t.match(await runShown(t, asProgram(code, url), [], { environment, cwd }), /ran to its end/)
    })
  }
})

t.test('examples of formulas', async t => {
  // `packages.test.ts` of the sandbox runs the second, and the module that is the third.
  const [formula = '', , , client = ''] = codesOf('server/guide/formulas.md', 'js')
  const vault = createVault({ dev: true })
  t.teardown(() => vault.close())
  const { privateKey } = await vault.createTenant()
  const svc = { fetch: vault.fetch, apiKey: privateKey }
  const card = { number: '4242424242424242' }
  const run = (amount: number) =>
    runFormula(formula, { svc, args: { amount, card }, configuration: { LIMIT: 10 } })
  t.match((await run(10)).outcome, { kind: 'answered', tokenize: { type: 'card', data: card } })
  t.equal((await run(11)).status, 400)
  const file = join(t.testdir({ 'client.cjs': client }), 'client.cjs')
  const code = `module.exports = async ({ svc }) => {
    const { id } = await svc.tokens.create({ type: 'token', data: 1, deduplicateToken: true })
    return { raw: Object.keys(await svc.tokens.retrieve(id)).includes('createdAt') }
  }`
  t.match((await runFormula(code, { svc, client: file })).outcome, { kind: 'answered', raw: true })
})

t.test('every example is one of these, or is shown by other tests', t => {
  const known = ['sh', 'json', 'yaml', 'ts', 'js', 'ini', 'mermaid', '']
  // `other-languages.test.ts` runs these.
  known.push('python', 'java', 'go')
  // `schema.test.ts` runs the GRANTs.
  known.push('sql')
  const left = [...new Set(examples.map(({ language }) => language))].filter(one => !known.includes(one))
  t.same(left, [])
  const found = examples.filter(({ language }) => language === 'js').map(({ page }) => page)
  t.same(found, ['server/guide/configure.md', ...Array(4).fill('server/guide/formulas.md')])
  const commandsShown = pages.map(page => readFileSync(join(root, page), 'utf8')).join()
  for (const { name } of commands)
    t.match(commandsShown, new RegExp(`\`${name}\\b|surrogate-server ${name}\\b|server ${name}\\b`), name)
  t.end()
})
